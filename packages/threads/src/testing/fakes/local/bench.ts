import { systemClock, systemRandom } from '@postern/kit';
import {
  type ChatLimits,
  type ChatService,
  type ChatTables,
  chatMigrations,
  createChatService,
} from '@postern/local-chat';
import { databaseBlobs, type Engine, type StoreTables } from '@postern/store';
import { freshStore } from '@postern/store/testing';
import type { LocalChat } from '../../../platforms/local/chat.ts';
import { localPlatform } from '../../../platforms/local/platform.ts';
import type { Platform } from '../../../platforms/platform.ts';

export const BOT_NAME = 'helper';
export const CHANNEL = 'local:bots';
export const PUBLIC_URL = 'https://hub.example.com/postern';

/** The embedded chat on a database of its own, with a platform on it. */
export interface LocalBench {
  /** As the people's side has it: all channels. */
  readonly chat: ChatService;
  /** As the inbox has it. */
  readonly inbox: ReturnType<ChatService['port']>;
  connect(options?: {
    readonly chat?: LocalChat;
    readonly id?: string;
    readonly directMessages?: boolean;
  }): Platform;
  /** What threads sees of the chat, over a wire that can break. */
  readonly line: BreakableLine;
}

export async function localBench(engine: Engine, limits: Partial<ChatLimits> = {}): Promise<LocalBench> {
  const { store } = await freshStore<StoreTables & ChatTables>(engine, { migrations: chatMigrations });
  const chat = createChatService({
    store,
    blobs: databaseBlobs(store),
    clock: systemClock,
    random: systemRandom,
    publicUrl: () => PUBLIC_URL,
    ownedChannels: new Map([[CHANNEL, 'threads']]),
    directOwner: 'threads',
    limits,
  });
  await chat.start();
  const line = breakableLine(chat.port('threads'));
  return {
    chat,
    inbox: chat.port(),
    connect: (options = {}) =>
      localPlatform({
        id: options.id ?? 'local',
        botName: BOT_NAME,
        channelId: CHANNEL,
        directMessages: options.directMessages ?? true,
        chat: options.chat ?? line.chat,
        clock: systemClock,
        random: systemRandom,
        publicUrl: () => PUBLIC_URL,
        firstPauseMs: 10,
      }),
    line,
  };
}

export interface BreakableLine {
  readonly chat: LocalChat;
  /** Ends what waits; the next try goes through. */
  drop(): Promise<void>;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** The events of a chat with a wire between that can break, as when its database is away. */
function breakableLine(chat: LocalChat): BreakableLine {
  let isCut = false;
  let dropping = new AbortController();
  const drop = async () => {
    dropping.abort();
    dropping = new AbortController();
  };
  const assertWhole = () => {
    if (isCut) throw new Error('the wire is cut');
  };
  return {
    chat: {
      ...chat,
      async eventsAfter(cursor, limit) {
        assertWhole();
        return chat.eventsAfter(cursor, limit);
      },
      async waitForEvents(cursor, signal) {
        assertWhole();
        const { signal: dropped } = dropping;
        await chat.waitForEvents(cursor, AbortSignal.any([signal, dropped]));
        if (dropped.aborted) throw new Error('the wire broke');
      },
    },
    drop,
    async cut() {
      isCut = true;
      await drop();
    },
    async mend() {
      isCut = false;
    },
  };
}

import { buffer } from 'node:stream/consumers';
import { Failure, systemClock, systemRandom } from '@postern/kit';
import { type ChatService, type ChatTables, chatMigrations, createChatService } from '@postern/local-chat';
import { databaseBlobs, type Engine, type StoreTables } from '@postern/store';
import { freshStore } from '@postern/store/testing';
import { type ChatPort, LOCAL_SELF, localConnector } from '../../../connectors/local/connector.ts';
import type { ConnectorHarness, ConnectorTraits, HarnessPerson } from '../../connector-harness.ts';

export const localTraits: ConnectorTraits = {
  edits: true,
  deletes: true,
  replies: true,
  files: true,
  history: true,
  missed: 220,
  faults: ['dropConnections', 'loseAnswerOfNextSend', 'loseNextFile', 'refuseNextSend'],
};

const GROUP = 'local:team';
const DIRECT = 'local:dm-ana';

/** The embedded chat on a database of its own, over a wire that can break. */
export async function localHarness(engine: Engine): Promise<ConnectorHarness> {
  const { store } = await freshStore<StoreTables & ChatTables>(engine, { migrations: chatMigrations });
  const chat = createChatService({
    store,
    blobs: databaseBlobs(store),
    clock: systemClock,
    random: systemRandom,
    publicUrl: () => 'http://127.0.0.1:8080',
  });
  await chat.start();
  const ana = { id: 'ana', displayName: 'Ana' };
  const ben = { id: 'ben', displayName: 'Ben' };
  const userOf = ({ id, displayName }: HarnessPerson) => ({ id, name: displayName });
  const members = [ana, ben].map(userOf);
  await chat.openChannel({ name: 'team', type: 'group', members });
  await chat.openChannel({ name: 'dm-ana', type: 'dm', members: [userOf(ana)] });
  const wire = breakableWire(chat.port());
  const authorOf = async (id: string) => (await chat.message(id))?.user.id ?? '';

  return {
    connect: () => localConnector(wire.chat, systemClock),
    group: GROUP,
    direct: DIRECT,
    ana,
    ben,
    async say(person, text, { channelId = GROUP, replyTo = null, files = [] } = {}) {
      const message = await chat.post({
        channelId,
        user: userOf(person),
        text,
        replyTo,
        attachments: files.map(({ name, bytes }) => ({
          name,
          mime: 'application/octet-stream',
          open: async () => oneChunk(bytes),
        })),
      });
      return message.id;
    },
    async edit(id, text) {
      await chat.edit({ messageId: id, userId: await authorOf(id), text });
    },
    async delete(id) {
      await chat.remove({ messageId: id, userId: await authorOf(id) });
    },
    async sent(channelId) {
      const messages = await chat.messages({ channelId, limit: 10_000 });
      const own = messages.filter(({ user }) => user.id === LOCAL_SELF.id);
      return Promise.all(
        own.map(async ({ id, text, reply_to, attachments }) => ({
          platformId: id,
          text,
          replyTo: reply_to,
          files: await Promise.all(
            attachments.map(async (file) => ({ name: file.name, bytes: await bytesOf(chat, file.id) })),
          ),
        })),
      );
    },
    // The chat itself rings for nobody; what is written has to be harmless all the same, where it is copied to.
    ringsForAll: ({ text }) => /@(?:all|channel|here|everyone)\b/.test(text),
    goOffline: async () => wire.cut(),
    goOnline: async () => wire.mend(),
    faults: {
      dropConnections: wire.drop,
      loseAnswerOfNextSend: () => wire.orders.push('lose-answer'),
      loseNextFile: () => wire.orders.push('lose-file'),
      refuseNextSend: () => wire.orders.push('refuse-send'),
    },
    stop: () => chat.stop(),
  };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function bytesOf(chat: ChatService, attachmentId: string): Promise<Uint8Array> {
  const file = await chat.readAttachment(attachmentId);
  return file ? buffer(await file.open()) : new Uint8Array();
}

type WireOrder = 'lose-answer' | 'lose-file' | 'refuse-send';

/** The chat with a wire between that breaks as it is told, as when its database is away. */
function breakableWire(chat: ChatPort) {
  const orders: WireOrder[] = [];
  let isCut = false;
  let dropping = new AbortController();
  const drop = () => {
    dropping.abort();
    dropping = new AbortController();
  };
  const assertWhole = () => {
    if (isCut) throw new Error('the wire is cut');
  };
  const isOrdered = (order: WireOrder) => {
    const at = orders.indexOf(order);
    if (at >= 0) orders.splice(at, 1);
    return at >= 0;
  };
  const broken: ChatPort = {
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
    async post(message) {
      if (isOrdered('refuse-send')) throw new Failure('forbidden', 403, 'The chat says no.');
      const posted = await chat.post(message);
      if (isOrdered('lose-answer')) throw new Error('the wire broke');
      return posted;
    },
    async readAttachment(id) {
      return isOrdered('lose-file') ? null : chat.readAttachment(id);
    },
  };
  return {
    chat: broken,
    orders,
    drop,
    cut() {
      isCut = true;
      drop();
    },
    mend() {
      isCut = false;
    },
  };
}

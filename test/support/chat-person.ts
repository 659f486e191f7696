import type { TestHub } from './hub.ts';

/** Somebody in the embedded chat, over the same API as the console's page. */

export interface ChatMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly thread_id: string | null;
  readonly user: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly attachments: readonly {
    readonly name: string;
    readonly url: string;
    readonly size_bytes: number;
  }[];
  readonly reactions: readonly { readonly emoji: string; readonly user_ids: readonly string[] }[];
  readonly deleted_at: string | null;
}

export interface ChatPerson {
  readonly id: string;
  say(text: string, threadId?: string): Promise<ChatMessage>;
  react(messageId: string, emoji: string): Promise<void>;
}

const LOOK_MS = 100;
const PAGE = 200;
const PATIENCE_MS = 45_000;

export class Chat {
  readonly #hub: () => TestHub;
  readonly channelId: string;

  /** @param hub Asked at each use: a test may start another one on the same data. */
  constructor(hub: () => TestHub, channelId: string) {
    this.#hub = hub;
    this.channelId = channelId;
  }

  person(id: string, name: string = id): ChatPerson {
    return {
      id,
      say: (text, threadId) =>
        this.#hub().admin<ChatMessage>('POST', '/local/api/messages', {
          channel_id: this.channelId,
          user: { id, name },
          text,
          ...(threadId === undefined ? {} : { thread_id: threadId }),
        }),
      react: async (messageId, emoji) => {
        await this.#hub().admin('POST', `/local/api/messages/${messageId}/reactions`, { user_id: id, emoji });
      },
    };
  }

  /** The replies of a thread, oldest first. */
  async replies(rootId: string): Promise<ChatMessage[]> {
    const all: ChatMessage[] = [];
    for (;;) {
      const query = new URLSearchParams({
        channel_id: this.channelId,
        thread_id: rootId,
        after: all.at(-1)?.id ?? rootId,
        limit: String(PAGE),
      });
      const { data } = await this.#hub().admin<{ data: ChatMessage[] }>(
        'GET',
        `/local/api/messages?${query}`,
      );
      all.push(...data);
      if (data.length < PAGE) return all;
    }
  }

  /** The first post of the bot's in a thread that matches, there already or to come. @throws Error after a while. */
  async botPost(rootId: string, matches: (message: ChatMessage) => boolean): Promise<ChatMessage> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const posts = await this.replies(rootId);
      const found = posts.find((post) => post.user.id === BOT && matches(post));
      if (found) return found;
      if (Date.now() > until) {
        const said = posts.map(({ user, text }) => `${user.id}: ${text}`).join('\n---\n');
        throw new Error(`the bot did not post what was waited for; the thread is:\n${said}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

export const BOT = 'postern';

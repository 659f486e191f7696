import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedClaude } from '@postern/threads/testing/claude';
import type { BenchmarkContext } from './benchmark.ts';
import { type HubProcess, startHub } from './hub.ts';

/** A thread of the local chat with an agent in it, as a person there sees it. */

interface Message {
  readonly id: string;
  readonly text: string;
  readonly user: { readonly id: string };
  readonly reactions: readonly { readonly emoji: string }[];
}

type Hub = Pick<HubProcess, 'url' | 'adminKey'>;

const PERSON = { id: 'ada', name: 'ada' };
const PAGE = 200;
const PATIENCE_MS = 60_000;

/** The channel of the local chat that the bot works in. */
export const CHANNEL = 'local:bench';

/** A hub whose sessions run the scripted agent program; it ends with the benchmark. */
export async function startThreadsHub(
  { folder, stack }: Pick<BenchmarkContext, 'folder' | 'stack'>,
  maxSessions: number,
): Promise<HubProcess> {
  const claude = stack.use(await scriptedClaude());
  const dataDir = join(folder, 'data');
  mkdirSync(join(folder, 'work'), { recursive: true });
  mkdirSync(dataDir, { mode: 0o700 });
  const hub = await startHub({
    dataDir,
    url: null,
    settings: {
      claudePath: claude.path,
      threads: {
        workingDir: join(folder, 'work'),
        limits: { maxSessions },
        platforms: [{ id: 'bench', type: 'local', channelId: CHANNEL, allowedUsers: [PERSON.id] }],
      },
    },
  });
  stack.defer(() => hub.stop());
  return hub;
}

export class Thread {
  readonly #hub: Hub;
  readonly #channelId: string;
  readonly rootId: string;

  private constructor(hub: Hub, channelId: string, rootId: string) {
    this.#hub = hub;
    this.#channelId = channelId;
    this.rootId = rootId;
  }

  static async start(hub: Hub, channelId: string, text: string): Promise<Thread> {
    const { id } = await call<Message>(hub, 'POST', '/messages', {
      channel_id: channelId,
      user: PERSON,
      text,
    });
    return new Thread(hub, channelId, id);
  }

  async say(text: string): Promise<void> {
    const body = { channel_id: this.#channelId, user: PERSON, text, thread_id: this.rootId };
    await call(this.#hub, 'POST', '/messages', body);
  }

  async react(messageId: string, emoji: string): Promise<void> {
    await call(this.#hub, 'POST', `/messages/${messageId}/reactions`, { user_id: PERSON.id, emoji });
  }

  /** The bot's post that has the text and at least so many reactions. @throws Error after a minute. */
  async hears(text: string, reactions = 0, everyMs = 50): Promise<Message> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(everyMs)) {
      const posts = await this.#replies();
      const found = posts.find(
        (post) =>
          post.user.id !== PERSON.id && post.text.includes(text) && post.reactions.length >= reactions,
      );
      if (found) return found;
    }
    throw new Error(`the bot did not say ${text}`);
  }

  /** How many different lines of the scripted stream have arrived, once all have or none comes any more. */
  async lines(wanted: number): Promise<number> {
    let seen = 0;
    let quiet = 0;
    while (quiet < 20) {
      const now = new Set((await this.#replies()).flatMap(({ text }) => text.match(/\bLine \d+ of /g) ?? []))
        .size;
      if (now >= wanted) return now;
      quiet = now === seen ? quiet + 1 : 0;
      seen = now;
      await sleep(500);
    }
    return seen;
  }

  async #replies(): Promise<Message[]> {
    const all: Message[] = [];
    for (;;) {
      const query = new URLSearchParams({
        channel_id: this.#channelId,
        thread_id: this.rootId,
        after: all.at(-1)?.id ?? this.rootId,
        limit: String(PAGE),
      });
      const { data } = await call<{ data: Message[] }>(this.#hub, 'GET', `/messages?${query}`);
      all.push(...data);
      if (data.length < PAGE) return all;
    }
  }
}

async function call<Answer>(hub: Hub, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${hub.url}/local/api${path}`, {
    method,
    headers: { authorization: `Bearer ${hub.adminKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

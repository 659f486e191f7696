import type { REST } from 'discord.js';
import * as z from 'zod';
import { type DiscordLibrary, loadDiscord } from './library.ts';
import type { DiscordOptions } from './options.ts';
import {
  channelSchema,
  type DiscordChannel,
  readable,
  sentSchema,
  snowflakeSchema,
  threadsSchema,
} from './payloads.ts';
import { RateLimits } from './rate-limits.ts';

/** One try of a call; the library makes up to four where Discord has an inner failure. */
const CALL_MS = 10_000;
/** Messages, or threads, of one answer. */
const PAGE = 100;
/** Messages before a position that are looked at again. */
const PAGE_BEFORE = 50;

export type DiscordTrouble =
  /** The token is refused. */
  | 'auth'
  /** This account may not do that there. */
  | 'forbidden'
  | 'missing'
  | 'too_large'
  /** Any other no of Discord's. */
  | 'refused'
  /** A rate limit would hold the call up too long. */
  | 'limited'
  /** Inner failures, call after call. */
  | 'failing'
  /** No answer. */
  | 'unreachable';

export class DiscordError extends Error {
  override readonly name = 'DiscordError';
  readonly trouble: DiscordTrouble;
  /** Whether something on the way answered in Discord's place, so that its no says nothing of a channel. */
  readonly isForeign: boolean;

  constructor(
    trouble: DiscordTrouble,
    message: string,
    options: ErrorOptions & { isForeign?: boolean } = {},
  ) {
    super(message, options);
    this.trouble = trouble;
    this.isForeign = options.isForeign ?? false;
  }
}

export interface OutboundMessage {
  readonly channelId: string;
  readonly body: Record<string, unknown>;
  readonly files: readonly { readonly name: string; readonly data: Buffer; readonly contentType: string }[];
}

export interface MessagePage {
  readonly payloads: { readonly id: bigint; readonly payload: unknown }[];
  /** Whether there is nothing beyond. */
  readonly isLast: boolean;
}

export interface ThreadPage {
  readonly threads: DiscordChannel[];
  readonly hasMore: boolean;
}

/** Discord's REST, over the library, which keeps its rate limits. Every method throws {@link DiscordError}. */
export interface DiscordApi {
  /** For the gateway, which asks where it is. */
  readonly rest: REST;
  /** Up to a hundred messages after an id, oldest first, as payloads with their ids. */
  messagesAfter(channelId: string, after: bigint, signal: AbortSignal): Promise<MessagePage>;
  /** The newest up to fifty messages before an id, oldest first. */
  messagesBefore(channelId: string, before: bigint, signal: AbortSignal): Promise<MessagePage>;
  channel(channelId: string, signal: AbortSignal): Promise<DiscordChannel>;
  /** Public threads that were archived, the newest first, before a time if one is given. */
  archivedThreads(parentId: string, before: string | null, signal: AbortSignal): Promise<ThreadPage>;
  /** Private threads that this account is in and that were archived, the newest first, before an id if one is given. */
  privateArchivedThreads(parentId: string, before: string | null, signal: AbortSignal): Promise<ThreadPage>;
  post(message: OutboundMessage, signal: AbortSignal): Promise<z.output<typeof sentSchema>>;
  typing(channelId: string, signal: AbortSignal): Promise<void>;
  get(path: `/${string}`, signal?: AbortSignal): Promise<unknown>;
}

/** Discord's REST base without its version, and the version. */
export function apiBase(apiUrl: string | undefined): { api?: string; version?: string } {
  if (apiUrl === undefined) return {};
  const url = apiUrl.replace(/\/+$/, '');
  const [, base, version] = /^(.*)\/v(\d+)$/.exec(url) ?? [];
  return base === undefined || version === undefined ? { api: url } : { api: base, version };
}

export async function openApi({
  token,
  apiUrl,
  pauses,
}: Pick<DiscordOptions, 'token' | 'apiUrl' | 'pauses'>): Promise<DiscordApi> {
  const library = await loadDiscord();
  const limits = new RateLimits(pauses);
  const rest = new library.REST({
    ...apiBase(apiUrl),
    timeout: CALL_MS,
    rejectOnRateLimit: (limit) => limits.isTooMuch(limit),
  });

  async function call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    // The library forgets a token that was refused once; whether it is good again is for Discord to say.
    rest.setToken(token);
    try {
      return await work();
    } catch (error) {
      throw described(library, error);
    }
  }

  const get = (path: `/${string}`, signal?: AbortSignal, query?: Record<string, string>) =>
    call(() =>
      rest.get(path, {
        ...(signal === undefined ? {} : { signal }),
        ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
      }),
    );

  async function messages(
    channelId: string,
    from: Record<string, string>,
    limit: number,
    signal: AbortSignal,
  ): Promise<MessagePage> {
    const query = { ...from, limit: String(limit) };
    const answer = await get(`/channels/${channelId}/messages`, signal, query);
    const list = parsed(listSchema, answer);
    const payloads = list.flatMap((payload) => {
      const id = snowflakeSchema.safeParse((payload as { id?: unknown } | null)?.id);
      return id.success ? [{ id: BigInt(id.data), payload }] : [];
    });
    // Discord lists the newest first, also in a page that begins at an older one.
    payloads.sort((one, other) => (one.id < other.id ? -1 : 1));
    return { payloads, isLast: list.length < limit };
  }

  async function archived(
    path: `/${string}`,
    before: string | null,
    signal: AbortSignal,
  ): Promise<ThreadPage> {
    const query = { limit: String(PAGE), ...(before === null ? {} : { before }) };
    const { threads, has_more } = parsed(threadsSchema, await get(path, signal, query));
    return { threads: readable(channelSchema, threads), hasMore: has_more };
  }

  return {
    rest: rest.setToken(token),
    messagesAfter: (channelId, after, signal) => messages(channelId, { after: String(after) }, PAGE, signal),
    messagesBefore: (channelId, before, signal) =>
      messages(channelId, { before: String(before) }, PAGE_BEFORE, signal),
    channel: async (channelId, signal) => parsed(channelSchema, await get(`/channels/${channelId}`, signal)),
    archivedThreads: (parentId, before, signal) =>
      archived(`/channels/${parentId}/threads/archived/public`, before, signal),
    privateArchivedThreads: (parentId, before, signal) =>
      archived(`/channels/${parentId}/users/@me/threads/archived/private`, before, signal),
    async post({ channelId, body, files }, signal) {
      const answer = await limits.around(channelId, () =>
        call(() => rest.post(`/channels/${channelId}/messages`, { body, files: [...files], signal })),
      );
      return parsed(sentSchema, answer);
    },
    async typing(channelId, signal) {
      await limits.around(channelId, () =>
        call(() => rest.post(`/channels/${channelId}/typing`, { signal })),
      );
    },
    get: (path, signal) => get(path, signal),
  };
}

const listSchema = z.array(z.unknown());

function parsed<Shape extends z.ZodType>(schema: Shape, answer: unknown): z.output<Shape> {
  const result = schema.safeParse(answer);
  if (!result.success) throw new DiscordError('failing', 'Discord answered in a form that is not known');
  return result.data;
}

/** Discord's code for a file over the limit of the server. */
const FILE_TOO_LARGE = 40_005;

function described(library: DiscordLibrary, error: unknown): DiscordError {
  if (error instanceof DiscordError) return error;
  if (error instanceof library.DiscordAPIError) {
    const { status, code, rawError } = error;
    const isForeign = !('code' in rawError || 'message' in rawError);
    const told = isForeign
      ? `Something between here and Discord answered ${status}`
      : `Discord said: ${'message' in rawError ? rawError.message : `status ${status}`}`;
    const options = { cause: error, isForeign };
    if (status === 401) return new DiscordError('auth', told, options);
    if (status === 413 || code === FILE_TOO_LARGE) return new DiscordError('too_large', told, options);
    if (status === 403) return new DiscordError('forbidden', told, options);
    if (status === 404) return new DiscordError('missing', told, options);
    return new DiscordError('refused', told, options);
  }
  const options = { cause: error };
  if (error instanceof library.HTTPError) {
    return new DiscordError('failing', `Discord answered ${error.status}, try after try`, options);
  }
  if (error instanceof library.RateLimitError) {
    const seconds = Math.ceil(Math.max(error.timeToReset, error.retryAfter) / 1_000);
    return new DiscordError('limited', `Discord's rate limit holds this up for ${seconds} s`, options);
  }
  return new DiscordError('unreachable', 'Discord gave no answer', options);
}

import type { Sockets } from './sockets.ts';
import type { StoredChannel, StoredMessage, World } from './world.ts';

/** A refusal in Slack's own form. */
export class Refused extends Error {
  readonly error: string;

  constructor(error: string) {
    super(error);
    this.error = error;
  }
}

export type Args = Readonly<Record<string, unknown>>;

export interface MethodContext {
  readonly world: World;
  readonly sockets: Sockets;
  readonly origin: string;
}

export type Method = (args: Args, context: MethodContext) => Record<string, unknown>;

export function textArg(args: Args, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function flagArg(args: Args, name: string): boolean {
  return args[name] === true || args[name] === 'true' || args[name] === '1';
}

/** Structured arguments are JSON in a form, and themselves in a JSON body. */
export function structuredArg(args: Args, name: string): unknown {
  const value = args[name];
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    throw new Refused('invalid_arguments');
  }
}

export function limitArg(args: Args, usual: number, most: number): number {
  const value = Number(textArg(args, 'limit') || usual);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Refused('invalid_limit');
  return value;
}

/** The page after the cursor, of what is listed in a fixed order by keys. */
export function pageOf<Item>(
  items: readonly Item[],
  args: Args,
  limit: number,
  keyOf: (item: Item) => string,
) {
  const cursor = textArg(args, 'cursor');
  let start = 0;
  if (cursor !== '') {
    const key = Buffer.from(cursor, 'base64').toString();
    start = items.findIndex((item) => keyOf(item) === key);
    if (start === -1) throw new Refused('invalid_cursor');
  }
  const page = items.slice(start, start + limit);
  const next = items[start + limit];
  return {
    page,
    has_more: next !== undefined,
    response_metadata: { next_cursor: next === undefined ? '' : Buffer.from(keyOf(next)).toString('base64') },
  };
}

/** A channel that the bot may see. */
export function channelArg({ world }: MethodContext, args: Args, name = 'channel'): StoredChannel {
  const channel = world.channels.get(textArg(args, name));
  if (channel === undefined) throw new Refused('channel_not_found');
  if (channel.kind !== 'public' && !channel.members.has(world.bot.id)) throw new Refused('channel_not_found');
  return channel;
}

export function memberChannelArg(context: MethodContext, args: Args, name = 'channel'): StoredChannel {
  const channel = channelArg(context, args, name);
  if (!channel.members.has(context.world.bot.id)) throw new Refused('not_in_channel');
  return channel;
}

export function messageArg(context: MethodContext, args: Args, tsName: string): StoredMessage {
  const channel = memberChannelArg(context, args);
  const message = context.world.find(channel.id, textArg(args, tsName));
  if (message === null || message.subtype === 'tombstone') throw new Refused('message_not_found');
  return message;
}

export function announce(
  { world, sockets }: Pick<MethodContext, 'world' | 'sockets'>,
  message: StoredMessage,
): void {
  const channel = world.channels.get(message.channel);
  if (channel === undefined || !channel.members.has(world.bot.id)) return;
  sockets.emit({ ...world.wire(message, true), ...placeOf(channel), event_ts: message.ts });
}

export function placeOf(channel: StoredChannel): Record<string, unknown> {
  const types = { public: 'channel', private: 'group', im: 'im' } as const;
  return { channel: channel.id, channel_type: types[channel.kind] };
}

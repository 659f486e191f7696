import { channelIdOf } from './ids.ts';
import { type DiscordChannel, isDirect } from './payloads.ts';
import { Position } from './position.ts';

/** Newest messages of a channel that are read again after a restart, for those that came in another order. */
const OVERLAP = 16;

/** An event that waits until its channel has caught up. */
export interface ChannelEvent {
  readonly type: 'create' | 'update' | 'delete';
  readonly payload: unknown;
  readonly channel: KnownChannel;
  /** Of a new message. */
  readonly id: bigint | null;
}

export interface KnownChannel {
  readonly snowflake: string;
  readonly type: 'dm' | 'group';
  /** As envelopes have it. */
  readonly channelId: string;
  name: string | undefined;
  /** Of a thread, the channel it is in; of a channel, its category; undefined while nobody has said. */
  parentId: string | null | undefined;
  readonly position: Position;
  /** The newest message that was read or heard of; none before it is still on its way, unless the channel is behind. */
  newest: bigint;
  /** Whether older messages than the live ones are still to be read. */
  isBehind: boolean;
  /** Whether to look once more when the reading is done. */
  again: boolean;
  held: ChannelEvent[];
  /** Whether something in it may have been changed or deleted while nobody listened. */
  isUnchecked: boolean;
  /** Whether this account may not look into it, or it is gone; so until Discord tells of it again. */
  isClosed: boolean;
  /** Whether it was closed when it was last read, although something had come from it. */
  isUnreadable: boolean;
}

/** The channels this account knows of, and which of them the operator wants heard. */
export class KnownChannels {
  readonly #all = new Map<string, KnownChannel>();
  readonly #allowed: ReadonlySet<string> | null;

  constructor(allowed: readonly string[] | undefined) {
    this.#allowed = allowed === undefined ? null : new Set(allowed);
  }

  get(snowflake: string): KnownChannel | undefined {
    return this.#all.get(snowflake);
  }

  all(): IterableIterator<KnownChannel> {
    return this.#all.values();
  }

  add(snowflake: string, type: 'dm' | 'group', passed: bigint): KnownChannel {
    const channel: KnownChannel = {
      snowflake,
      type,
      channelId: channelIdOf(type, snowflake),
      name: undefined,
      parentId: undefined,
      position: new Position(passed, OVERLAP),
      newest: passed,
      isBehind: false,
      again: false,
      held: [],
      isUnchecked: false,
      isClosed: false,
      isUnreadable: false,
    };
    this.#all.set(snowflake, channel);
    return channel;
  }

  /** Takes over what Discord says of a channel that is known. */
  update(channel: KnownChannel, told: DiscordChannel): void {
    if (told.name) channel.name = told.name;
    if (told.parent_id !== undefined) channel.parentId = told.parent_id;
  }

  /** Whether a channel of which this is known is heard; null when only its parent could tell. */
  isHeard(type: 'dm' | 'group', snowflake: string, parentId: string | null | undefined): boolean | null {
    // Who may write to the account directly is for the allowlist of senders.
    if (this.#allowed === null || type === 'dm' || this.#allowed.has(snowflake)) return true;
    return parentId === undefined ? null : parentId !== null && this.#allowed.has(parentId);
  }

  /** The same of a channel that Discord tells of. */
  isHeardAs(told: DiscordChannel): boolean | null {
    return this.isHeard(isDirect(told) ? 'dm' : 'group', told.id, told.parent_id ?? null);
  }
}

/** Lets a channel be read again. @returns whether it was closed. */
export function reopen(channel: KnownChannel): boolean {
  const { isClosed } = channel;
  channel.isClosed = false;
  channel.isUnreadable = false;
  return isClosed;
}

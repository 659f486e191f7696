import type { TextUnit } from '@postern/kit';
import type { Source } from '../envelope.ts';

/**
 * A connector joins one account of one platform to the inbox. It translates and nothing else: what a
 * message means, who may be heard and what is stored is decided behind the sink, the same for all.
 */
export interface Connector {
  readonly source: Source;
  /** Account at the platform; part of the dedupe key. */
  readonly account: string;
  /** Who outbound messages come from. */
  readonly self: { readonly id: string; readonly displayName: string };
  readonly capabilities: ConnectorCapabilities;
  /**
   * Runs until the signal aborts. `cursor` is the last one handed to the sink, null at the first start.
   * Rejecting means "start me again"; the runner does so with growing pauses.
   */
  run(cursor: string | null, sink: ConnectorSink, signal: AbortSignal): Promise<void>;
  /** Sends one part. @throws SendError and nothing else. */
  send(
    part: OutboundPart,
    signal: AbortSignal,
  ): Promise<{ platformId: string; timestampMs: number; raw: Record<string, unknown> }>;
  /** Shows that somebody types, where the platform can. */
  typing?(channelId: string, signal: AbortSignal): Promise<void>;
  health(): ConnectorHealth;
}

export interface ConnectorCapabilities {
  readonly text: { readonly limit: number; readonly unit: TextUnit };
  readonly attachments: { readonly maxCount: number; readonly maxBytes: number };
  readonly typing: boolean;
  readonly replies: boolean;
}

export interface ConnectorHealth {
  readonly status: 'ok' | 'degraded' | 'down' | 'starting' | 'standby';
  /** A sentence for the operator; no secrets. */
  readonly detail?: string;
}

export interface InboundAttachment {
  /** Names the file among those of its message, where the platform lets an edit take it away. */
  readonly key?: string;
  readonly name: string;
  /** Bytes at most; a larger one is kept as a note in `raw`. */
  readonly sizeBytes: number;
  open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** A file that the platform has announced and does not have yet; it follows as an `attachment` event. */
export interface PendingAttachment {
  /** Names the file among those of its message. */
  readonly key: string;
  readonly name: string;
  readonly sizeBytes: number;
}

export interface InboundChannel {
  readonly id: string;
  readonly type: 'dm' | 'group';
  readonly name?: string;
}

export type InboundEvent =
  | {
      readonly kind: 'message';
      readonly platformId: string;
      readonly channel: InboundChannel;
      readonly sender: { readonly id: string; readonly displayName: string };
      readonly text: string;
      readonly attachments: readonly InboundAttachment[];
      readonly pending?: readonly PendingAttachment[];
      readonly replyToPlatformId: string | null;
      readonly timestampMs: number;
      readonly raw: Record<string, unknown>;
    }
  | {
      readonly kind: 'edit';
      readonly platformId: string;
      readonly text: string;
      /** Keys of the files that the message still has; left out where nothing is said of them. */
      readonly attachmentKeys?: readonly string[];
      readonly raw: Record<string, unknown>;
    }
  | { readonly kind: 'delete'; readonly platformId: string }
  | {
      readonly kind: 'attachment';
      readonly platformId: string;
      /** Of the pending attachment; one that is not awaited, or no longer, is passed over. */
      readonly key: string;
      /** Null: it will not come. */
      readonly attachment: InboundAttachment | null;
    };

/** The one write path for what comes in; events and cursors are stored together or not at all. */
export interface ConnectorSink {
  /**
   * Stores what is not there yet. A connector that reads channel by channel hands in the cursors of those that got on,
   * by channel id; the others keep theirs.
   */
  accept(
    events: readonly InboundEvent[],
    cursor: string,
    channelCursors?: ReadonlyMap<string, string>,
  ): Promise<void>;
  /** The source's known channels with the cursors stored for them, null where there is none. */
  channelCursors(): Promise<ReadonlyMap<string, string | null>>;
  /** Platform ids of the newest messages in a channel that agents may see and that are not deleted, up to a hundred. */
  newestIn(channelId: string): Promise<readonly string[]>;
}

export interface OutboundFile {
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

export interface OutboundPart {
  readonly channelId: string;
  readonly text: string;
  readonly replyToPlatformId: string | null;
  readonly attachments: readonly OutboundFile[];
  /** Whether a mention of everybody may ring; where not, the text holds none that a platform knows by its form. */
  readonly allowMassMentions: boolean;
  /** The same for every try of the same part, so that a platform that dedupes can. */
  readonly nonce: string;
}

export type SendErrorKind =
  /** The platform refuses our credentials. */
  | 'auth'
  /** The platform said no, and the message is not there. */
  | 'failed'
  /** An attachment is over the platform's limit. */
  | 'too_large'
  /** No answer: the message may or may not be there. */
  | 'unknown';

export class SendError extends Error {
  override readonly name = 'SendError';
  readonly kind: SendErrorKind;

  constructor(kind: SendErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

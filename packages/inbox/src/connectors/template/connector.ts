import type { Clock } from '@postern/kit';
import { type Connector, type ConnectorHealth, type InboundEvent, SendError } from '../connector.ts';

/**
 * A whole connector to begin a new one with, for a made-up platform that has a log of messages to be polled. See
 * docs/connectors.md.
 */

/** What is used of the platform. Each call rejects when it cannot be reached. */
export interface TemplatePlatform {
  /** Messages after a position in the log, oldest first. */
  read(after: number, limit: number): Promise<readonly TemplateMessage[]>;
  /** @throws TemplateRefusal when the platform says no, and nothing is there. */
  post(message: { room: string; text: string; nonce: string }): Promise<TemplateMessage>;
}

export interface TemplateMessage {
  readonly position: number;
  readonly room: string;
  readonly isDirect: boolean;
  readonly author: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly atMs: number;
}

export class TemplateRefusal extends Error {
  override readonly name = 'TemplateRefusal';
}

/** Bounds of the platform. */
const LONGEST_TEXT = 1_000;
const PAGE = 100;

export function templateConnector(
  platform: TemplatePlatform,
  { clock, pollMs, selfId }: { clock: Clock; pollMs: number; selfId: string },
): Connector {
  let health: ConnectorHealth = { status: 'starting' };
  return {
    // The name that you add to `sources`.
    source: 'local',
    account: selfId,
    self: { id: selfId, displayName: 'Postern' },
    capabilities: {
      text: { limit: LONGEST_TEXT, unit: 'utf16' },
      attachments: { maxCount: 0, maxBytes: 0 },
      typing: false,
      replies: false,
    },

    async run(stored, sink, signal) {
      let cursor = Number(stored ?? 0);
      try {
        while (!signal.aborted) {
          // When this rejects, the runner says that the connector is down, and starts it again.
          const page = await platform.read(cursor, PAGE);
          health = { status: 'ok' };
          const last = page.at(-1);
          if (!last) {
            await clock.sleep(pollMs, signal);
            continue;
          }
          // Messages and cursor in one transaction, so that neither is there without the other.
          await sink.accept(
            page.flatMap((message) => eventsOf(message, selfId)),
            String(last.position),
          );
          cursor = last.position;
        }
      } finally {
        health = { status: 'down', detail: 'not running' };
      }
    },

    async send(part) {
      const [, room = ''] = /^local:(?:dm-)?(.+)$/.exec(part.channelId) ?? [];
      try {
        const posted = await platform.post({ room, text: part.text, nonce: part.nonce });
        return { platformId: String(posted.position), timestampMs: posted.atMs, raw: {} };
      } catch (error) {
        if (error instanceof TemplateRefusal) throw new SendError('failed', error.message, { cause: error });
        throw new SendError('unknown', 'the platform gave no answer', { cause: error });
      }
    },

    health: () => health,
  };
}

/** What a message means to the inbox; nothing when the account wrote it itself. */
function eventsOf(message: TemplateMessage, selfId: string): InboundEvent[] {
  const { position, room, isDirect, author, text, atMs } = message;
  if (author.id === selfId) return [];
  return [
    {
      kind: 'message',
      platformId: String(position),
      channel: {
        id: isDirect ? `local:dm-${room}` : `local:${room}`,
        type: isDirect ? 'dm' : 'group',
        name: room,
      },
      sender: { id: author.id, displayName: author.name },
      text,
      attachments: [],
      replyToPlatformId: null,
      timestampMs: atMs,
      raw: { position },
    },
  ];
}

import { type Clock, nowMilliseconds, storableText } from '@postern/kit';
import type { InboundEvent } from '../connectors/connector.ts';
import { isIdentifier } from '../envelope.ts';

/** RFC 3339 has four digits for the year. */
const FIRST_TIME_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * An event as it can be stored on either engine, or null when one of its ids could be named by no route. A
 * platform that sends such a thing must not hold up what comes behind it.
 */
export function storableEvent(event: InboundEvent, clock: Clock): InboundEvent | null {
  if (!isIdentifier(event.platformId)) return null;
  if (event.kind === 'delete' || event.kind === 'attachment') return event;
  const text = storableText(event.text);
  if (event.kind === 'edit') return { ...event, text };
  if (!isIdentifier(event.sender.id) || !isIdentifier(event.channel.id)) return null;
  const { replyToPlatformId, timestampMs } = event;
  const isSayable = timestampMs >= FIRST_TIME_MS && timestampMs <= LAST_TIME_MS;
  return {
    ...event,
    text,
    replyToPlatformId:
      replyToPlatformId !== null && isIdentifier(replyToPlatformId) ? replyToPlatformId : null,
    timestampMs: isSayable ? Math.floor(timestampMs) : nowMilliseconds(clock),
  };
}

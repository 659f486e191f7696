import { type Clock, nowMilliseconds } from '@postern/kit';
import { comparable } from './same-text.ts';

/** How long the copy of an own message may take to come back. */
const ECHO_MS = 120_000;
const MOST_ENTRIES = 1_000;

/**
 * What was sent a moment ago, so that its copy is known. A message to one's own address comes back as one that was
 * received, with another guid, and maybe before the send is recorded.
 */
export class SentLedger {
  readonly #clock: Clock;
  readonly #entries: { channelId: string; content: string; atMs: number; echo: string | null }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called before the platform is. */
  note(channelId: string, content: SentContent): void {
    this.#forgetOld();
    this.#entries.push({
      channelId,
      content: keyOf(content),
      atMs: nowMilliseconds(this.#clock),
      echo: null,
    });
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift();
  }

  /** Whether the row of a guid is the copy of what was sent; each send has one, however often it is asked for. */
  isEcho(channelId: string, content: SentContent, guid: string): boolean {
    this.#forgetOld();
    const key = keyOf(content);
    const entry = this.#entries.find(
      (sent) =>
        sent.channelId === channelId && sent.content === key && (sent.echo === null || sent.echo === guid),
    );
    if (entry) entry.echo = guid;
    return entry !== undefined;
  }

  #forgetOld(): void {
    const oldest = nowMilliseconds(this.#clock) - ECHO_MS;
    while (this.#entries[0] && this.#entries[0].atMs < oldest) this.#entries.shift();
  }
}

export type SentContent = { readonly text: string } | { readonly fileName: string };

function keyOf(content: SentContent): string {
  return 'text' in content ? `text ${comparable(content.text)}` : `file ${content.fileName}`;
}

import type { OutcomeClass } from '../smtp/classify.ts';

/** The words in which reports are told. */

export type ReportKind =
  /** At least one recipient was not reached, for good. */
  | 'bounce'
  /** Still being tried; says nothing yet. */
  | 'delayed'
  /** Confirms a delivery. */
  | 'delivered'
  /** Someone called the message spam. */
  | 'complaint'
  /** An absence notice or the like; never counts as a bounce. */
  | 'auto_reply'
  /** All else: a person's answer, a receipt, junk. */
  | 'other';

export type ReportAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

export interface ReportRecipient {
  /** As the report has it; null when it names nobody. */
  readonly address: string | null;
  /** The address that the message was sent to first, where the report tells it. */
  readonly original: string | null;
  readonly action: ReportAction | null;
  /** Enhanced status code, `5.1.1`. */
  readonly status: string | null;
  /** The server's words. */
  readonly diagnostic: string | null;
  /** What it means, in the classes of replies. */
  readonly class: OutcomeClass;
  readonly reason: string;
}

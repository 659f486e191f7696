import { classifyReported } from '../smtp/classify.ts';
import type { ReportAction, ReportRecipient } from './kinds.ts';

/** One recipient of a report, out of what the report says of it. */
export function reportRecipient(said: {
  readonly address: string | null;
  readonly original: string | null;
  readonly action: ReportAction | null;
  /** The Status field, where there is one. */
  readonly status: string | null;
  readonly diagnostic: string | null;
}): ReportRecipient {
  const { diagnostic } = said;
  const told = enhancedCode(diagnostic);
  // `5.0.0` says no more than `failed`; the server's own words may say what happened.
  const vague = said.status === null || /^[245]\.0\.0$/.test(said.status);
  const status = vague ? (told ?? said.status) : said.status;
  const code = replyCode(diagnostic);
  const action = said.action ?? actionOf(status, code);
  const classified = classifyReported({ action: action ?? 'failed', status, code, text: diagnostic ?? '' });
  return {
    address: said.address,
    original: said.original,
    action,
    status,
    diagnostic,
    class: classified.class,
    reason: classified.reason,
  };
}

/** The first reply code in a server's words. */
export function replyCode(text: string | null): number | null {
  const code = /(?:^|[\s;:(<>])([245][0-5][0-9])(?=[ \-:]|$)/m.exec(text ?? '')?.[1];
  return code === undefined ? null : Number(code);
}

/** The first enhanced status code in a server's words. */
export function enhancedCode(text: string | null): string | null {
  return /(?:^|[\s;:(#<-])([245]\.[0-9]{1,3}\.[0-9]{1,3})(?![\d.])/m.exec(text ?? '')?.[1] ?? null;
}

function actionOf(status: string | null, code: number | null): ReportAction | null {
  const kind = status?.[0] ?? (code === null ? undefined : String(code)[0]);
  if (kind === '5') return 'failed';
  if (kind === '4') return 'delayed';
  return kind === '2' ? 'delivered' : null;
}

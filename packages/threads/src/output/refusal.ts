import * as z from 'zod';

const refusal = z.object({ ok: z.literal(false), reason: z.string() });

/** Why a tool refused, where its answer is `{"ok":false,"reason":…}`; null for any other. */
export function refusalIn(answer: string): string | null {
  if (!answer.startsWith('{')) return null;
  try {
    return refusal.parse(JSON.parse(answer)).reason;
  } catch {
    return null;
  }
}

import { problem } from '@postern/http';
import { describeFound, type FieldViolation, parseTime, summariseViolations } from '@postern/kit';
import type { CampaignsPorts } from './ports.ts';

/**
 * Looks at times before the handler runs, so that one that is over is told together with what the schema finds; what is
 * no time is the schema's to tell.
 *
 * @throws Failure validation_failed, `out_of_range` for each field whose time is over.
 */
export function requireFuture(
  { clock }: Pick<CampaignsPorts, 'clock'>,
  fields: readonly string[],
  input: Readonly<Record<string, unknown>>,
): void {
  const violations: FieldViolation[] = fields.flatMap((field) => {
    const given = input[field];
    const time = typeof given === 'string' ? parseTime(given) : null;
    if (time === null || time > clock.nowMicroseconds()) return [];
    return [{ field, code: 'out_of_range', message: `must be in the future, found ${describeFound(given)}` }];
  });
  if (violations.length === 0) return;
  throw problem('validation_failed', summariseViolations(violations), { violations });
}

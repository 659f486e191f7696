import { describeFound, type FieldViolation, parseTime } from '@postern/kit';
import type { CampaignsPorts } from './ports.ts';

/**
 * Looks at times before the handler runs, so that one that is over is told together with what the schema finds; what is
 * no time, or none that can be kept, is the schema's to tell.
 *
 * @returns `out_of_range` for each field whose time is over.
 */
export function futureViolations(
  { clock }: Pick<CampaignsPorts, 'clock'>,
  fields: readonly string[],
  input: Readonly<Record<string, unknown>>,
): FieldViolation[] {
  return fields.flatMap((field) => {
    const given = input[field];
    const time = typeof given === 'string' ? parseTime(given) : null;
    if (time === null || !Number.isSafeInteger(time) || time > clock.nowMicroseconds()) return [];
    return [{ field, code: 'out_of_range', message: `must be in the future, found ${describeFound(given)}` }];
  });
}

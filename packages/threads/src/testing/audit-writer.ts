import { silentLog } from '@postern/http';
import { systemClock } from '@postern/kit';
import { openAudit } from '../audit/open-audit.ts';

/** A process that records without end, as many at a time as its second argument says; killed by its test. */
const [folder = '', name = '', atOnce = '1'] = process.argv.slice(2);
const audit = openAudit({ folder, clock: systemClock, log: silentLog, isOn: () => true });

const record = async (lane: number): Promise<never> => {
  for (let count = 1; ; count += 1) {
    await audit.record('p', {
      action: count % 2 === 0 ? 'tool_use' : 'permission',
      actor: `${name}-${lane}`,
      details: { count },
    });
    process.stdout.write(`${name}-${lane} ${count}\n`);
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, (_, lane) => record(lane)));

import * as z from 'zod';
import type { OperatorApi } from '../../operator/api.ts';
import { pathOfParts } from '../../operator/api.ts';
import { withApi } from '../../operator/with-api.ts';
import { DONE, type Invocation, UsageError } from '../command.ts';
import { moment } from '../moment.ts';
import { table } from '../table.ts';

const deliverySchema = z.looseObject({
  id: z.string(),
  event: z.string(),
  url: z.string(),
  state: z.string(),
  attempts: z.number(),
  response_status: z.number().nullable(),
  last_error: z.string().nullable(),
  created_at: z.string(),
});
const pageSchema = z.object({ deliveries: z.array(deliverySchema), next_cursor: z.string().nullable() });

type Delivery = z.output<typeof deliverySchema>;

const STATES = ['dead', 'pending', 'done'];
const PAGE = 100;
/** Who has more of them has an address to mend, not a list to read. */
const MOST = 10_000;

export async function listWebhooks(invocation: Invocation): Promise<number> {
  const state = invocation.option('state') ?? 'dead';
  if (!STATES.includes(state)) throw new UsageError(`--state: ${STATES.join(', ')} are accepted`);
  const deliveries = await withApi(invocation, (api) => all(api, state));
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ deliveries }));
  } else if (deliveries.length === 0) {
    invocation.say(`No delivery is ${state}.`);
  } else {
    const rows = deliveries.map((one) => [
      one.id,
      one.event,
      one.url,
      one.attempts,
      one.last_error ?? one.response_status ?? '',
      moment(one.created_at),
    ]);
    for (const line of table(['ID', 'EVENT', 'URL', 'ATTEMPTS', 'LAST', 'CREATED'], rows))
      invocation.say(line);
  }
  return DONE;
}

export async function replayWebhook(invocation: Invocation): Promise<number> {
  const [id = ''] = invocation.arguments;
  const count = await withApi(invocation, async (api) => {
    const ids = id === 'all' ? (await all(api, 'dead')).map((one) => one.id) : [id];
    for (const one of ids) await api.call('POST', `/webhooks${pathOfParts('deliveries', one, 'replay')}`);
    return ids.length;
  });
  invocation.say(`${count} ${count === 1 ? 'delivery is' : 'deliveries are'} queued again.`);
  return DONE;
}

async function all(api: OperatorApi, state: string): Promise<Delivery[]> {
  const found: Delivery[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ state, limit: String(PAGE), ...(cursor === null ? {} : { cursor }) });
    const page: z.output<typeof pageSchema> = pageSchema.parse(
      await api.call('GET', `/webhooks/deliveries?${query}`),
    );
    found.push(...page.deliveries);
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < MOST);
  return found;
}

import * as z from 'zod';
import { pathOfParts } from '../../operator/api.ts';
import { withApi } from '../../operator/with-api.ts';
import { DONE, type Invocation } from '../command.ts';
import { moment } from '../moment.ts';
import { table } from '../table.ts';

const listSchema = z.object({
  pairings: z.array(
    z.object({
      code: z.string(),
      source: z.string(),
      sender_id: z.string(),
      display_name: z.string(),
      created_at: z.string(),
      expires_at: z.string(),
    }),
  ),
});
const approvalSchema = z.object({
  entry: z.object({ source: z.string(), sender_id: z.string() }),
  released_count: z.number(),
});

export async function listPairings(invocation: Invocation): Promise<number> {
  const { pairings } = await withApi(invocation, async (api) =>
    listSchema.parse(await api.call('GET', '/pairings')),
  );
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ pairings }));
  } else if (pairings.length === 0) {
    invocation.say('Nobody waits for approval.');
  } else {
    const rows = pairings.map((pairing) => [
      pairing.code,
      pairing.source,
      pairing.sender_id,
      pairing.display_name,
      moment(pairing.expires_at),
    ]);
    for (const line of table(['CODE', 'SOURCE', 'SENDER_ID', 'NAME', 'EXPIRES'], rows)) invocation.say(line);
  }
  return DONE;
}

export async function approvePairing(invocation: Invocation): Promise<number> {
  const [code = ''] = invocation.arguments;
  const { entry, released_count } = await withApi(invocation, async (api) =>
    approvalSchema.parse(await api.call('POST', `${pathOfParts('pairings', code)}/approve`, {})),
  );
  invocation.say(
    `${entry.source}/${entry.sender_id} is on the allowlist; messages released: ${released_count}.`,
  );
  return DONE;
}

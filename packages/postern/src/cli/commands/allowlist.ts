import { resolve } from 'node:path';
import * as z from 'zod';
import { type FileEntry, readAllowlistFile } from '../../operator/allowlist-file.ts';
import { type OperatorApi, pathOfParts } from '../../operator/api.ts';
import { oddSenderId } from '../../operator/sender-ids.ts';
import { withApi } from '../../operator/with-api.ts';
import { DONE, type Invocation } from '../command.ts';
import { moment } from '../moment.ts';
import { table } from '../table.ts';

const entrySchema = z.object({
  source: z.string(),
  sender_id: z.string(),
  display_name: z.string().nullable(),
  person_id: z.string().nullable(),
  created_at: z.string(),
});
const listSchema = z.object({ entries: z.array(entrySchema) });
const putSchema = z.object({ entry: entrySchema, released_count: z.number() });

export async function listAllowlist(invocation: Invocation): Promise<number> {
  const { entries } = await withApi(invocation, async (api) =>
    listSchema.parse(await api.call('GET', '/allowlist')),
  );
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ entries }));
  } else if (entries.length === 0) {
    invocation.say(
      'Nobody is on the allowlist: every message goes to quarantine. postern allowlist add lets people in.',
    );
  } else {
    const rows = entries.map((entry) => [
      entry.source,
      entry.sender_id,
      entry.display_name,
      entry.person_id,
      moment(entry.created_at),
    ]);
    for (const line of table(['SOURCE', 'SENDER_ID', 'NAME', 'PERSON', 'SINCE'], rows)) invocation.say(line);
  }
  return DONE;
}

export async function addToAllowlist(invocation: Invocation): Promise<number> {
  const [source = '', senderId = ''] = invocation.arguments;
  const displayName = invocation.option('name');
  const personId = invocation.option('person');
  const released = await withApi(invocation, (api) =>
    put(api, invocation.has('release'), {
      source,
      sender_id: senderId,
      ...(displayName === undefined ? {} : { display_name: displayName }),
      ...(personId === undefined ? {} : { person_id: personId }),
    }),
  );
  invocation.say(`${source}/${senderId} is on the allowlist.${describeReleased(released)}`);
  warnOfOdd(invocation, source, senderId);
  return DONE;
}

export async function removeFromAllowlist(invocation: Invocation): Promise<number> {
  const [source = '', senderId = ''] = invocation.arguments;
  await withApi(invocation, (api) => api.call('DELETE', pathOfParts('allowlist', source, senderId)));
  invocation.say(`${source}/${senderId} is off the allowlist; the next messages go to quarantine.`);
  return DONE;
}

export async function importAllowlist(invocation: Invocation): Promise<number> {
  const [file = ''] = invocation.arguments;
  const entries = readAllowlistFile(resolve(invocation.workingDirectory, file), file);
  let released = 0;
  await withApi(invocation, async (api) => {
    for (const entry of entries) released += await put(api, invocation.has('release'), entry);
  });
  invocation.say(
    `${entries.length} ${entries.length === 1 ? 'entry is' : 'entries are'} on the allowlist.${describeReleased(released)}`,
  );
  for (const { source, sender_id } of entries) warnOfOdd(invocation, source, sender_id);
  return DONE;
}

function warnOfOdd(invocation: Invocation, source: string, senderId: string): void {
  const odd = oddSenderId(source, senderId);
  if (odd !== null) invocation.warn(`It lets nobody in: ${odd}.`);
}

/** Adds or changes one entry; answers how many messages were released. */
async function put(
  api: OperatorApi,
  release: boolean,
  { source, sender_id, ...body }: FileEntry,
): Promise<number> {
  const path = `${pathOfParts('allowlist', source, sender_id)}${release ? '?release=true' : ''}`;
  return putSchema.parse(await api.call('PUT', path, body)).released_count;
}

function describeReleased(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' One message was released.' : ` ${count} messages were released.`;
}

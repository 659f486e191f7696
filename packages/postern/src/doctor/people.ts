import { existsSync } from 'node:fs';
import { type InboxStore, type InboxTables, imessageSettings } from '@postern/inbox';
import { systemClock } from '@postern/kit';
import { connectStore } from '@postern/store';
import type { Config } from '../config/load.ts';
import { oddSenderId } from '../operator/sender-ids.ts';
import { databaseFile } from '../secrets/data-folder.ts';
import { type Finding, ok, warning } from './check.ts';

/** Who may write to the inbox, platform by platform; nobody until the operator says so. */
export async function checkPeople(config: Config): Promise<Finding[]> {
  const sources = configuredSources(config);
  const allowed = sources.length === 0 ? [] : await readAllowlist(config);
  if (allowed === null) return [];
  return sources.map((source) => {
    const ids = allowed.flatMap((entry) => (entry.source === source ? [entry.sender_id] : []));
    return judge(config, source, ids);
  });
}

function judge({ inbox }: Config, source: string, ids: readonly string[]): Finding {
  const check = `${source}.people`;
  const byPairing = inbox.pairing === 'on' ? ', or postern pairing approve CODE for one who wrote' : '';
  const fix = `Run postern allowlist add ${source} SENDER_ID${byPairing}; the console shows who waits in quarantine`;
  if (ids.length === 0)
    return warning(check, 'Nobody is on the allowlist: every message goes to quarantine', fix);
  const odd = ids.map((id) => oddSenderId(source, id)).find((reason) => reason !== null);
  if (odd) {
    return warning(check, `An entry of the allowlist lets nobody in: ${odd}`, 'Correct it, or take it out');
  }
  return ok(check, ids.length === 1 ? 'One person may write' : `${ids.length} people may write`);
}

function configuredSources({ inbox }: Config): string[] {
  const { local, discord, imessage } = inbox.connectors;
  return [
    ...(local.enabled ? ['local'] : []),
    ...(discord ? ['discord'] : []),
    ...(imessage.enabled && imessageSettings(imessage).off === null ? ['imessage'] : []),
  ];
}

/** The allowlist; null where the database cannot be read, which is told by its own check. */
async function readAllowlist({ dataDir, databaseUrl }: Config) {
  const file = databaseFile(dataDir);
  if (databaseUrl === null && !existsSync(file)) return [];
  let store: InboxStore | null = null;
  try {
    const place = databaseUrl === null ? { file } : { url: databaseUrl.reveal() };
    store = await connectStore<InboxTables>({ ...place, clock: systemClock });
    const tables = await store.db.introspection.getTables();
    if (!tables.some(({ name }) => name === 'inbox_allowlist')) return [];
    return await store.db.selectFrom('inbox_allowlist').select(['source', 'sender_id']).execute();
  } catch {
    return null;
  } finally {
    await store?.close();
  }
}

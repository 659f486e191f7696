import { readdir } from 'node:fs/promises';
import { AuditFileError, type AuditVerdict, auditFile, verifyAudit } from '@postern/threads';
import { auditFolder } from '../../secrets/data-folder.ts';
import { DONE, FAILED, type Invocation, UsageError } from '../command.ts';

interface Verified {
  readonly platform: string;
  readonly ok: boolean;
  /** Lines that were checked and are intact; null where the check ended before the end. */
  readonly lines: number | null;
  readonly message: string;
}

/** `postern audit verify [PLATFORM]`: exit code 1 when a chain is broken. Reads the files; no server is needed. */
export async function verifyAuditLog(invocation: Invocation): Promise<number> {
  const config = await invocation.hubConfig();
  const folder = auditFolder(config.dataDir);
  const asked = invocation.option('platform');
  const platforms = asked === undefined ? await platformsIn(folder) : [asked];
  const verified: Verified[] = [];
  for (const platform of platforms) verified.push(await verify(folder, platform, asked !== undefined));
  const isWhole = verified.every(({ ok }) => ok);
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ ok: isWhole, platforms: verified }, null, 2));
  } else if (verified.length === 0) {
    invocation.say(`There is no audit log yet (${folder}).`);
  } else {
    for (const { platform, ok, message } of verified) {
      invocation.say(`${ok ? 'ok    ' : 'BROKEN'}  ${platform}: ${message}`);
    }
  }
  return isWhole ? DONE : FAILED;
}

async function platformsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => /^(.+)\.jsonl$/.exec(name)?.[1] ?? []).sort();
}

async function verify(folder: string, platform: string, isAsked: boolean): Promise<Verified> {
  try {
    const verdict = await verifyAudit(auditFile(folder, platform));
    if (verdict !== null) return { platform, ...told(verdict) };
    if (isAsked) throw new UsageError(`no platform ${platform} has an audit log in ${folder}`);
    return { platform, ok: false, lines: null, message: 'the file is gone' };
  } catch (error) {
    if (error instanceof AuditFileError) return { platform, ok: false, lines: null, message: error.message };
    throw error;
  }
}

function told(verdict: AuditVerdict): Omit<Verified, 'platform'> {
  if (!verdict.ok) {
    return { ok: false, lines: null, message: `line ${verdict.line} is wrong: ${verdict.problem}` };
  }
  const { lines, setApart, isUnfinished } = verdict;
  const notes = [
    ...(setApart.length === 0 ? [] : [`${setApart.length} torn by a crash, set apart and on record`]),
    ...(isUnfinished ? ['the last one is being written, or was torn by a crash'] : []),
  ];
  const message = `${lines.toLocaleString('en')} line${lines === 1 ? '' : 's'}, each follows from the one before`;
  return { ok: true, lines, message: [message, ...notes].join('; ') };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '@postern/kit';
import { fakeClock } from '@postern/kit/testing';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AuditEntry, AuditLog } from './audit.ts';
import { AuditFileError, auditFile } from './file.ts';
import { parseLine } from './line.ts';
import { openAudit } from './open-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const ENTRY: AuditEntry = {
  action: 'permission',
  actor: 'u-1',
  tool: 'Bash',
  details: { decision: 'allow' },
};

interface Bench {
  readonly folder: string;
  readonly file: string;
  readonly audit: AuditLog;
  readonly logged: string[];
  /** The log as another process would open it. */
  again(): AuditLog;
}

async function bench(
  options: { clock?: Clock; secrets?: string[]; isOn?: (id: string) => boolean } = {},
): Promise<Bench> {
  const data = await mkdtemp(join(tmpdir(), 'postern-audit-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const folder = join(data, 'audit');
  const logged: string[] = [];
  const note = (_fields: object, message: string) => void logged.push(message);
  const open = () => {
    const audit = openAudit({
      folder,
      clock: options.clock ?? systemClock,
      log: { debug: note, info: note, warn: note, error: note },
      isOn: options.isOn ?? (() => true),
      secrets: options.secrets ?? [],
    });
    onTestFinished(() => audit.close());
    return audit;
  };
  return { folder, file: join(folder, 'p.jsonl'), audit: open(), logged, again: open };
}

const linesOf = async (file: string) =>
  (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');

async function recordSome(audit: AuditLog, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await audit.record('p', { ...ENTRY, details: { index } });
  }
}

describe('the audit log', () => {
  test('has a line for each thing, with who did it and the tool', async () => {
    const at = await bench({ clock: fakeClock(1_777_593_600_000_000) });
    await at.audit.record('p', {
      action: 'permission',
      sessionId: 's-1',
      channelId: 'c',
      threadId: 't',
      actor: 'u-1',
      actorName: 'olga',
      tool: 'Bash',
      details: { decision: 'allow' },
    });
    const [line] = await linesOf(at.file);
    expect(JSON.parse(line ?? '')).toEqual({
      seq: 1,
      time: '2026-05-01T00:00:00.000000Z',
      platform: 'p',
      action: 'permission',
      session: 's-1',
      channel: 'c',
      thread: 't',
      actor: 'u-1',
      actor_name: 'olga',
      tool: 'Bash',
      details: { decision: 'allow' },
      prev: '0'.repeat(64),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('is readable by its owner alone, even where it was not', async () => {
    const at = await bench();
    await mkdir(at.folder, { mode: 0o755 });
    await chmod(at.folder, 0o755);
    await at.audit.record('p', ENTRY);
    await chmod(at.file, 0o644);
    await at.audit.record('p', ENTRY);
    expect((await stat(at.folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(at.folder)) {
      expect((await stat(join(at.folder, name))).mode & 0o777).toBe(0o600);
    }
  });

  test('is not kept for a platform where it is off', async () => {
    const at = await bench({ isOn: (id) => id !== 'p' });
    await at.audit.record('p', ENTRY);
    await at.audit.record('q', ENTRY);
    expect(await readdir(at.folder)).toContain('q.jsonl');
    expect(await readdir(at.folder)).not.toContain('p.jsonl');
  });

  test('goes on with the chain after a restart', async () => {
    const at = await bench();
    await recordSome(at.audit, 3);
    await at.audit.close();
    await recordSome(at.again(), 3);
    expect(await verifyAudit(at.file)).toEqual({ ok: true, lines: 6, setApart: [], isUnfinished: false });
  });

  test('keeps the order of what is recorded at the same time', async () => {
    const at = await bench();
    const all = Array.from({ length: 1_200 }, (_, index) =>
      at.audit.record('p', { ...ENTRY, details: { index } }),
    );
    await Promise.all(all);
    const lines = (await linesOf(at.file)).map((line) => parseLine(line)?.details.index);
    expect(lines).toEqual(Array.from({ length: 1_200 }, (_, index) => index));
    expect(await verifyAudit(at.file)).toMatchObject({ ok: true, lines: 1_200 });
  });

  test.each(['../escape', 'a/b', '', '.', 'a\0b', 'x'.repeat(65), 'CON.'])(
    'takes no file name from the id %j',
    async (id) => {
      const at = await bench();
      await at.audit.record(id, ENTRY);
      expect(at.logged).toEqual(['something could not be put on record']);
      expect(at.audit.health()).toMatchObject({ status: 'failed' });
      expect(() => auditFile(at.folder, id)).toThrow(AuditFileError);
    },
  );

  test('is not written through a link, nor into a file with a second name, and says so', async () => {
    const at = await bench();
    await mkdir(at.folder, { recursive: true });
    const elsewhere = join(at.folder, 'elsewhere');
    await writeFile(elsewhere, '');
    await symlink(elsewhere, at.file);
    await at.audit.record('p', ENTRY);
    expect(at.audit.health()).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('is a link'),
    });
    await link(elsewhere, join(at.folder, 'q.jsonl'));
    await at.audit.record('q', ENTRY);
    expect(await readFile(elsewhere, 'utf8')).toBe('');
    await expect(verifyAudit(at.file)).rejects.toThrow('is a link');
    await expect(at.audit.page('p', { limit: 1 })).rejects.toThrow('is a link');
  });

  test('is not written into a folder that is a link', async () => {
    const at = await bench();
    const elsewhere = await mkdtemp(join(tmpdir(), 'postern-audit-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    await symlink(elsewhere, at.folder);
    await at.audit.record('p', ENTRY);
    expect(await readdir(elsewhere)).toEqual([]);
    expect(at.audit.health().status).toBe('failed');
  });

  test('writes what could not be written as soon as it can again', async () => {
    const at = await bench();
    await mkdir(at.folder, { recursive: true });
    await mkdir(at.file);
    await recordSome(at.audit, 3);
    expect(at.audit.health().status).toBe('failed');
    await rm(at.file, { recursive: true });
    await at.audit.record('p', { ...ENTRY, details: { index: 4 } });
    const indices = (await linesOf(at.file)).map((line) => parseLine(line)?.details.index);
    expect(indices).toEqual([1, 2, 3, 4]);
    expect(at.audit.health()).toEqual({ status: 'ok' });
  });

  test('starts anew where an operator has moved the file away', async () => {
    const at = await bench();
    await recordSome(at.audit, 2);
    await rename(at.file, `${at.file}.2026`);
    await recordSome(at.audit, 2);
    expect(await verifyAudit(at.file)).toMatchObject({ ok: true, lines: 2 });
    expect(await verifyAudit(`${at.file}.2026`)).toMatchObject({ ok: true, lines: 2 });
  });

  test('has no secrets and nothing without bounds', async () => {
    const at = await bench({ secrets: ['plain-platform-token'] });
    const secrets = {
      command:
        'curl -H "Authorization: Bearer abcdef0123456789" https://u:hunter2hunter@h/ && FOO_TOKEN=tok3n4567 x',
      slack: 'xoxb-123456789012-abcdefghij',
      pem: '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----',
      nested: [{ password: 'hunter2', api_key: 'k', accessToken: 'abc' }],
      known: 'it is plain-platform-token!',
      flag: 'tool --api-key s3cr3ts3cr3t go',
    };
    await at.audit.record('p', { ...ENTRY, actor: 'x'.repeat(5_000), details: secrets });
    await at.audit.record('p', {
      ...ENTRY,
      details: { long: 'a'.repeat(1_000_000), many: Array(5_000).fill('b') },
    });
    const cycle: Record<string, unknown> = { deep: {} };
    cycle.deep = cycle;
    await at.audit.record('p', { ...ENTRY, details: cycle });
    const text = await readFile(at.file, 'utf8');
    for (const secret of [
      'abcdef0123456789',
      'hunter2',
      'tok3n4567',
      'xoxb-',
      'MIIEow',
      'plain-platform-token',
      's3cr3ts3cr3t',
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('[redacted]');
    expect(text.length).toBeLessThan(30_000);
    expect(await verifyAudit(at.file)).toMatchObject({ ok: true, lines: 3 });
  });
});

describe('a torn line', () => {
  test('that a crash has left stays, is told of, and does not break the chain', async () => {
    const at = await bench();
    await recordSome(at.audit, 2);
    await at.audit.close();
    await appendFile(at.file, '{"seq":3,"time":"20');
    expect(await verifyAudit(at.file)).toEqual({ ok: true, lines: 2, setApart: [], isUnfinished: true });
    await recordSome(at.again(), 1);
    const lines = await linesOf(at.file);
    expect(lines[2]).toBe('{"seq":3,"time":"20');
    expect(parseLine(lines[3] ?? '')).toMatchObject({
      action: 'torn_line',
      actor: 'system',
      details: { bytes: 19 },
    });
    expect(await verifyAudit(at.file)).toEqual({ ok: true, lines: 4, setApart: [3], isUnfinished: false });
    expect(at.logged).toContain('the audit log has bytes that are no line; they are set apart');
  });

  test('at any byte is survived, also twice in a row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (first, second) => {
        const at = await bench();
        await recordSome(at.audit, 2);
        await at.audit.close();
        for (const cut of [first, second]) {
          const { size } = await stat(at.file);
          const before = (await readFile(at.file)).lastIndexOf(10, size - 2) + 1;
          await truncate(at.file, before + (cut % (size - before)));
          const audit = at.again();
          await recordSome(audit, 1);
          await audit.close();
          expect(await verifyAudit(at.file)).toMatchObject({ ok: true, isUnfinished: false });
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('verifying', () => {
  const tampered = async (change: (lines: string[]) => string[]) => {
    const at = await bench();
    await recordSome(at.audit, 5);
    const lines = await linesOf(at.file);
    await writeFile(
      at.file,
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return verifyAudit(at.file);
  };

  test('finds the first line that was changed', async () => {
    const change = (index: number) => (lines: string[]) =>
      lines.with(index, (lines[index] ?? '').replace('u-1', 'u-2'));
    for (const index of [0, 2, 4]) {
      expect(await tampered(change(index))).toMatchObject({ ok: false, line: index + 1 });
    }
  });

  test('finds lines that were taken out, moved, repeated or put in', async () => {
    expect(await tampered((lines) => lines.toSpliced(2, 1))).toMatchObject({ ok: false, line: 3 });
    expect(await tampered((lines) => lines.slice(1))).toMatchObject({ ok: false, line: 1 });
    expect(await tampered(([a, b, ...rest]) => [b ?? '', a ?? '', ...rest])).toMatchObject({
      ok: false,
      line: 1,
    });
    expect(await tampered((lines) => lines.toSpliced(3, 0, lines[2] ?? ''))).toMatchObject({
      ok: false,
      line: 4,
    });
    expect(await tampered((lines) => lines.toSpliced(1, 0, 'something'))).toMatchObject({
      ok: false,
      line: 2,
    });
    expect(await tampered((lines) => [...lines, '{}'])).toMatchObject({ ok: false, line: 6 });
  });

  test('finds any change of any byte of a line', async () => {
    const at = await bench();
    await recordSome(at.audit, 3);
    const whole = await readFile(at.file);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at_, by) => {
        const changed = Buffer.from(whole);
        changed[at_] = ((changed[at_] ?? 0) + by) % 256;
        await writeFile(at.file, changed);
        const verdict = await verifyAudit(at.file);
        // The very last byte is the line break, without which the line is whole all the same.
        expect(verdict?.ok === true && verdict.lines === 3 && at_ < whole.length - 1).toBe(false);
      }),
    );
  });

  test('has nothing to say of a file that is not there', async () => {
    const at = await bench();
    expect(await verifyAudit(at.file)).toBeNull();
  });
});

describe('reading', () => {
  test('goes from the newest line back, page by page, while more are written', async () => {
    const at = await bench();
    await recordSome(at.audit, 250);
    const seen: number[] = [];
    let before: string | undefined;
    do {
      const page = await at.audit.page('p', { limit: 60, before });
      seen.push(...page.lines.map(({ seq }) => seq));
      before = page.next ?? undefined;
      await at.audit.record('p', ENTRY);
    } while (before !== undefined);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
  });

  test('finds lines by what was done, in which session, by whom, and by their text', async () => {
    const at = await bench();
    await at.audit.record('p', { ...ENTRY, sessionId: 's-1', actorName: 'Olga' });
    await at.audit.record('p', { ...ENTRY, action: 'command', sessionId: 's-2', actor: 'u-2' });
    await at.audit.record('p', { ...ENTRY, details: { title: 'Éclair' } });
    const found = async (filter: object) =>
      (await at.audit.page('p', { limit: 10, ...filter })).lines.map(({ seq }) => seq);
    expect(await found({})).toEqual([3, 2, 1]);
    expect(await found({ action: 'command' })).toEqual([2]);
    expect(await found({ sessionId: 's-1' })).toEqual([1]);
    expect(await found({ person: 'olga' })).toEqual([1]);
    expect(await found({ person: 'u-2' })).toEqual([2]);
    expect(await found({ text: 'éCLAIR' })).toEqual([3]);
    expect(await found({ text: 'nothing of the kind' })).toEqual([]);
    expect(await found({ before: 'nonsense' })).toEqual([3, 2, 1]);
  });

  test('passes over what is no line, and a file that is not there is empty', async () => {
    const at = await bench();
    expect(await at.audit.page('p', { limit: 10 })).toEqual({ lines: [], next: null });
    await recordSome(at.audit, 1);
    await appendFile(at.file, 'torn');
    expect((await at.audit.page('p', { limit: 10 })).lines).toHaveLength(1);
  });
});

const WRITER = fileURLToPath(new URL('../testing/audit-writer.ts', import.meta.url));

/** A process that records; `until` waits for so many lines it says are written. */
function writer(folder: string, name: string, atOnce: number) {
  const child: ChildProcess = spawn(process.execPath, [WRITER, folder, name, String(atOnce)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  const waiters = new Set<() => void>();
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => {
    said.push(line);
    for (const look of waiters) look();
  });
  return {
    said,
    until: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (said.length < count) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
    async kill() {
      const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('processes', () => {
  test('may be killed at any moment, and no line they have told of is lost', async () => {
    const at = await bench();
    const told: string[] = [];
    for (let round = 1; round <= 3; round += 1) {
      const process = writer(at.folder, `w${round}`, 4);
      await process.until(40);
      await process.kill();
      told.push(...process.said);
    }
    await at.audit.record('p', ENTRY);
    const written = new Set(
      (await linesOf(at.file)).map(parseLine).map((line) => `${line?.actor} ${line?.details.count}`),
    );
    expect(told.filter((each) => !written.has(each))).toEqual([]);
    expect(await verifyAudit(at.file)).toMatchObject({ ok: true, isUnfinished: false });
  });

  test('write one chain together', async () => {
    const at = await bench();
    const writers = [writer(at.folder, 'a', 2), writer(at.folder, 'b', 2)];
    await Promise.all(writers.map((each) => each.until(30)));
    await recordSome(at.audit, 5);
    await Promise.all(writers.map((each) => each.kill()));
    await at.audit.record('p', ENTRY);
    const verdict = await verifyAudit(at.file);
    expect(verdict).toMatchObject({ ok: true });
    expect(verdict?.ok === true && verdict.lines).toBeGreaterThanOrEqual(66);
  });
});

import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { PlatformError, type PostFile } from '../platforms/platform.ts';
import { OWNER } from '../testing/fake-platform.ts';
import { sessionBench } from '../testing/session-bench.ts';
import { FILE_LIMITS, takeFiles } from './files-in.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'postern-files-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return join(made, 'session');
}

function platformWith(contents: Readonly<Record<string, Uint8Array>>) {
  const files = Object.entries(contents).map(
    ([name, bytes], index): PostFile => ({
      id: String(index),
      name,
      mime: 'text/html',
      sizeBytes: bytes.length,
    }),
  );
  const download = async (file: PostFile) => contents[file.name] ?? new Uint8Array();
  return { files, platform: { download } };
}

test('images and PDFs are given as content, all else as a path', async () => {
  const { files, platform } = platformWith({ 'a.png': PNG, 'b.pdf': PDF, 'c.txt': Buffer.from('hello') });
  const { content, notes, refused } = await takeFiles(platform, await folder(), 'p1', files);
  expect(content).toEqual([
    { type: 'image', mime: 'image/png', base64: PNG.toString('base64') },
    { type: 'document', mime: 'application/pdf', base64: PDF.toString('base64') },
  ]);
  expect(notes.map((note) => note.replace(/^.*?-/, '').replace(/.*\//, ''))).toHaveLength(3);
  expect(notes[2]).toContain('c.txt (text/plain, 5 bytes)');
  expect(refused).toEqual([]);
});

test('what a file is, its bytes say and not its name', async () => {
  const { files, platform } = platformWith({ 'picture.png': Buffer.from('<script>') });
  const { content, notes } = await takeFiles(platform, await folder(), 'p1', files);
  expect(content).toEqual([]);
  expect(notes[0]).toContain('(text/plain, 8 bytes)');
});

test('files lie in a folder of their owner alone, under names of their own', async () => {
  const { files, platform } = platformWith({
    '../../etc/passwd': Buffer.from('x'),
    '.env': Buffer.from('y'),
  });
  const path = await folder();
  await takeFiles(platform, path, 'p1', files);
  await takeFiles(platform, path, 'p2', files);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  const names = await readdir(path);
  expect(names).toHaveLength(4);
  expect(names.map((name) => name.slice(9)).sort()).toEqual(['env', 'env', 'etc_passwd', 'etc_passwd']);
  for (const name of names) expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
});

test('a link in the place of a file is replaced and not followed', async () => {
  const { files, platform } = platformWith({ 'a.txt': Buffer.from('new') });
  const path = await folder();
  const { notes } = await takeFiles(platform, path, 'p1', files);
  const [stored] = await readdir(path);
  const outside = join(path, '..', 'outside');
  await rm(join(path, stored!));
  await symlink(outside, join(path, stored!));
  await takeFiles(platform, path, 'p1', files);
  expect(await readFile(join(path, stored!), 'utf8')).toBe('new');
  await expect(stat(outside)).rejects.toThrow('ENOENT');
  expect(notes).toHaveLength(1);
});

test('a folder that is a link is refused', async () => {
  const { files, platform } = platformWith({ 'a.txt': Buffer.from('x') });
  const path = await folder();
  await symlink(tmpdir(), path);
  await expect(takeFiles(platform, path, 'p1', files)).rejects.toThrow('is not a folder');
});

test('what is too large, too much or cannot be fetched is named', async () => {
  const download = async (file: PostFile) => {
    if (file.name === 'gone') throw new PlatformError('not_found', 'secret detail');
    return Buffer.from('x');
  };
  const file = (name: string, sizeBytes = 1): PostFile => ({ id: name, name, mime: '', sizeBytes });
  const many = Array.from({ length: FILE_LIMITS.count }, (_, index) => file(`f${index}`));
  const { notes, refused } = await takeFiles({ download }, await folder(), 'p1', [
    file('large', FILE_LIMITS.storedBytes + 1),
    file('gone'),
    ...many,
  ]);
  expect(refused).toEqual([
    'large: it is larger than 50 MB',
    'gone: it could not be fetched',
    'f18: more than 20 files in one message',
    'f19: more than 20 files in one message',
  ]);
  expect(notes).toHaveLength(18);
});

describeEngines('a message with files', (engine) => {
  test('is given with them, and the thread is told which did not come through', async () => {
    const { platform, agent, hears, folder: own, sessions } = await sessionBench(engine);
    const huge = { name: 'huge.bin', mime: '', bytes: new Uint8Array(FILE_LIMITS.storedBytes + 1) };
    const files = [{ name: 'a.png', mime: 'image/png', bytes: PNG }, huge];
    const { threadId } = await platform.say(OWNER, '@postern look', { files });
    await hears('huge.bin: it is larger than 50 MB', threadId);
    await hears('answer: look');
    const [message] = (await agent.process(0)).given;
    expect(message!.content.map(({ type }) => type)).toEqual(['text', 'image']);
    const [session] = await sessions();
    expect(await readdir(join(own, 'agents/uploads', session!.session_id))).toHaveLength(1);
  });

  test('and nothing else is a message too', async () => {
    const { platform, agent, hears } = await sessionBench(engine);
    await platform.say(OWNER, '@postern', { files: [{ name: 'a.txt', mime: '', bytes: Buffer.from('x') }] });
    await hears('answer: Files that came with this message');
    expect((await agent.process(0)).given).toHaveLength(1);
  });
});

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Post } from '../platforms/platform.ts';
import { ALLOWED, fakePlatform, OWNER, STRANGER } from '../testing/index.ts';
import { type ToolBench, toolBench } from '../testing/tool-bench.ts';

/** Files and direct messages that leave a session. */

const reason = (text: string) => ({ ok: false, reason: expect.stringContaining(text) });

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), 'send-')));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

describe('send_file', () => {
  test('uploads a file into the thread, and says where it is', async () => {
    const workingDir = await folder();
    const at = await toolBench({ workingDir });
    const path = join(workingDir, 'plot.png');
    await writeFile(path, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    const answer = await at.run('send_file', { path, caption: 'The **plot**' });
    const [post] = at.platform.posts;
    expect(answer).toEqual({ ok: true, postId: post?.postId, url: `fake://main/${post?.postId}` });
    expect(post).toMatchObject({ threadId: 'p1', text: 'The **plot**' });
    expect(at.platform.uploads.get(post?.postId ?? '')).toMatchObject({
      name: 'plot.png',
      caption: 'The **plot**',
    });
    expect(at.audit.of('file_sent')).toMatchObject([
      { actor: 'agent', tool: 'send_file', details: { path, bytes: 16, mime: 'image/png' } },
    ]);
  });

  test('tells text from other bytes by what is in it, not by its name', async () => {
    const workingDir = await folder();
    const at = await toolBench({ workingDir });
    await writeFile(join(workingDir, 'a.png'), 'words ü');
    await writeFile(join(workingDir, 'b.txt'), Buffer.from([0, 1, 2, 255]));
    await at.run('send_file', { path: join(workingDir, 'a.png') });
    await at.run('send_file', { path: join(workingDir, 'b.txt') });
    expect(at.audit.of('file_sent').map(({ details }) => details?.mime)).toEqual([
      'text/plain',
      'application/octet-stream',
    ]);
  });

  test('sends files that people sent into the session', async () => {
    const uploadDir = await folder();
    const at = await toolBench({ uploadDir });
    await writeFile(join(uploadDir, 'theirs.txt'), 'x');
    expect(await at.run('send_file', { path: join(uploadDir, 'theirs.txt') })).toMatchObject({ ok: true });
  });

  test.each([
    ['.env', 'credentials'],
    ['../outside.txt', 'outside'],
    ['missing.txt', 'no such file'],
  ])('refuses %s', async (name, why) => {
    const workingDir = await folder();
    const at = await toolBench({ workingDir });
    await writeFile(join(workingDir, '.env'), 'SECRET=1');
    await writeFile(join(workingDir, '..', 'outside.txt'), 'x');
    expect(await at.run('send_file', { path: `${workingDir}/${name}` })).toEqual(reason(why));
    expect(at.platform.posts).toEqual([]);
    await rm(join(workingDir, '..', 'outside.txt'));
  });

  test('is refused where it is turned off, and where a platform takes no files', async () => {
    const at = await toolBench();
    const outboundFiles = { enabled: false, maxBytes: 1 };
    expect(await at.run('send_file', { path: '/a' }, { outboundFiles })).toEqual(reason('turned off'));
    const bare = await toolBench({ platform: fakePlatform({ capabilities: { upload: false } }) });
    expect(await bare.run('send_file', { path: '/a' })).toEqual(reason('takes no files'));
  });

  test('keeps a caption to one message', async () => {
    const at = await toolBench();
    expect(await at.run('send_file', { path: '/a', caption: 'x'.repeat(4_001) })).toEqual(reason('caption'));
  });

  test('says what the platform says when the upload fails', async () => {
    const workingDir = await folder();
    const at = await toolBench({ workingDir });
    await writeFile(join(workingDir, 'a.txt'), 'x');
    at.platform.failNext('upload', 'refused');
    expect(await at.run('send_file', { path: join(workingDir, 'a.txt') })).toEqual(
      reason('the platform fails'),
    );
    expect(at.audit.of('file_sent')).toEqual([]);
  });
});

describe('send_dm', () => {
  const dm = { recipient: '@alan', message: 'The build is **green**.' };
  /** The next question with all its options below it, one after the other. */
  const nextQuestion = async (at: ToolBench): Promise<Post> => {
    const before = seen.get(at) ?? new Set();
    seen.set(at, before);
    const post = await at.platform.botPost(
      ({ postId }) => !before.has(postId) && at.platform.reactionsOn.get(postId)?.length === 3,
    );
    before.add(post.postId);
    return post;
  };
  const seen = new WeakMap<ToolBench, Set<string>>();
  const sent = (at: ToolBench) => at.platform.posts.filter(({ channelId }) => channelId.startsWith('dm-'));
  const isSent = { ok: true, postId: expect.any(String) };

  test('asks in the bot’s channel first, and names session, owner and channel to the recipient', async () => {
    const at = await toolBench();
    const answer = at.run('send_dm', dm);
    const post = await nextQuestion(at);
    expect(post).toMatchObject({
      channelId: 'main',
      text: expect.stringContaining('The build is **green**.'),
    });
    expect(sent(at)).toEqual([]);
    await at.platform.reactAs(OWNER, post, '+1');
    expect(await answer).toEqual(isSent);
    expect(sent(at)).toMatchObject([
      { channelId: 'dm-u-allowed', text: "**From olga's agent session in main:**\nThe build is **green**." },
    ]);
  });

  test('asks again after 👍, and no more for that recipient after ✅', async () => {
    const at = await toolBench();
    const first = at.run('send_dm', dm);
    await at.platform.reactAs(OWNER, await nextQuestion(at), '+1');
    await first;
    const second = at.run('send_dm', dm);
    await at.platform.reactAs(OWNER, await nextQuestion(at), 'white_check_mark');
    expect(await second).toEqual(isSent);
    expect(await at.run('send_dm', dm)).toEqual(isSent);
    const other = at.run('send_dm', { ...dm, recipient: 'sam' });
    await at.platform.reactAs(OWNER, await nextQuestion(at), '-1');
    expect(await other).toEqual(reason('olga said no'));
    expect(sent(at)).toHaveLength(3);
  });

  test('sends a person at most three in a session, however often it is tried', async () => {
    const at = await toolBench();
    await at.context.directMessages.allow(ALLOWED.id);
    for (let turn = 0; turn < 3; turn += 1) expect(await at.run('send_dm', dm)).toEqual(isSent);
    expect(await at.run('send_dm', dm)).toEqual(reason('3 direct messages'));
    expect(sent(at)).toHaveLength(3);
    await at.context.directMessages.allow(STRANGER.id);
    expect(await at.run('send_dm', { ...dm, recipient: 'sam' })).toEqual(isSent);
  });

  test('a message that was denied, timed out or not sent takes none of the three', async () => {
    const at = await toolBench();
    const denied = at.run('send_dm', dm);
    await at.platform.reactAs(OWNER, await nextQuestion(at), '-1');
    expect(await denied).toEqual(reason('no'));
    const late = at.run('send_dm', dm);
    await nextQuestion(at);
    await at.clock.advance(120_000);
    expect(await late).toEqual(reason('Nobody answered'));
    await at.context.directMessages.allow(ALLOWED.id);
    at.platform.failNext('directChannel', 'unavailable');
    expect(await at.run('send_dm', dm)).toEqual(reason('the platform fails'));
    at.platform.failNext('post', 'refused');
    expect(await at.run('send_dm', dm)).toEqual(reason('the platform fails'));
    for (let turn = 0; turn < 3; turn += 1) expect(await at.run('send_dm', dm)).toEqual(isSent);
  });

  test('one that may have arrived takes a slot and is not to be repeated', async () => {
    const at = await toolBench();
    await at.context.directMessages.allow(ALLOWED.id);
    at.platform.failNext('post', 'unknown');
    expect(await at.run('send_dm', dm)).toEqual(reason('may or may not'));
    for (let turn = 0; turn < 2; turn += 1) expect(await at.run('send_dm', dm)).toEqual(isSent);
    expect(await at.run('send_dm', dm)).toEqual(reason('3 direct messages'));
  });

  test('has one question open for each recipient', async () => {
    const at = await toolBench();
    const first = at.run('send_dm', dm);
    const post = await nextQuestion(at);
    expect(await at.run('send_dm', dm)).toEqual(reason('still waiting'));
    const other = at.run('send_dm', { ...dm, recipient: 'sam' });
    await at.platform.reactAs(OWNER, await nextQuestion(at), '-1');
    expect(await other).toEqual(reason('no'));
    await at.platform.reactAs(OWNER, post, '+1');
    expect(await first).toEqual(isSent);
  });

  test('counts no reaction of a stranger, and none of the recipient who has no say', async () => {
    const at = await toolBench();
    const answer = at.run('send_dm', { ...dm, recipient: 'sam' });
    const post = await nextQuestion(at);
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(ALLOWED, post, '-1');
    expect(await answer).toEqual(reason('alan said no'));
    expect(sent(at)).toEqual([]);
  });

  test('is withdrawn with the call, and sends nothing', async () => {
    const at = await toolBench();
    const abort = new AbortController();
    const answer = at.run('send_dm', dm, { signal: abort.signal });
    const post = await nextQuestion(at);
    abort.abort();
    expect(await answer).toMatchObject({ ok: false });
    await at.platform.reactAs(OWNER, post, '+1');
    expect(sent(at)).toEqual([]);
  });

  test.each([
    ['', 'one name'],
    ['@', 'one name'],
    ['alan sam', 'one name'],
    ['nobody', 'Nobody'],
    ['bot', 'the bot itself'],
  ])('refuses the recipient %j', async (recipient, why) => {
    const at = await toolBench();
    expect(await at.run('send_dm', { ...dm, recipient })).toEqual(reason(why));
  });

  test('writes to members of the bot’s channel only', async () => {
    const at = await toolBench();
    at.platform.addPerson({ id: 'u-guest', name: 'gil', isBot: false }, false);
    expect(await at.run('send_dm', { ...dm, recipient: 'gil' })).toEqual(reason('members'));
  });

  test('takes 4,000 characters and not one more, nor none', async () => {
    const at = await toolBench({ platform: fakePlatform({ limit: 20_000 }) });
    await at.context.directMessages.allow(ALLOWED.id);
    expect(await at.run('send_dm', { ...dm, message: '😀'.repeat(4_000) })).toEqual(isSent);
    expect(await at.run('send_dm', { ...dm, message: 'x'.repeat(4_001) })).toEqual(reason('4000'));
    expect(await at.run('send_dm', { ...dm, message: ' ' })).toEqual(reason('empty'));
  });

  test('splits what is longer than a message, and counts it once', async () => {
    const at = await toolBench({ platform: fakePlatform({ limit: 1_000 }) });
    await at.context.directMessages.allow(ALLOWED.id);
    expect(await at.run('send_dm', { ...dm, message: 'word '.repeat(500) })).toEqual(isSent);
    expect(sent(at).length).toBeGreaterThan(2);
    expect(await at.run('send_dm', dm)).toEqual(isSent);
  });

  test('lets no name break out of the line that names the owner', async () => {
    const at = await toolBench();
    await at.context.directMessages.allow(ALLOWED.id);
    const owner = { id: OWNER.id, name: 'olga**\n@all [x](http://e)' };
    await at.run('send_dm', dm, { session: { ...at.context.session, owner } });
    expect(sent(at)[0]?.text.split('\n')[0]).toBe("**From olga all xhttp://e's agent session in main:**");
  });

  test('says so where there are no direct messages', async () => {
    const at = await toolBench({ platform: fakePlatform({ capabilities: { directMessages: false } }) });
    expect(await at.run('send_dm', dm)).toEqual(reason('no direct messages'));
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OWNER } from '../src/testing/fake-platform.ts';
import { scriptedClaude } from '../src/testing/fakes/claude/scripted-claude.ts';
import { processAgent } from './process-agent.ts';
import { patience, service } from './service-bench.ts';

/** Sessions whose agents are processes that speak stream-json, with their tools' servers as processes of theirs. */
async function withClaude() {
  const cli = await scriptedClaude();
  const filesDir = await mkdtemp(join(tmpdir(), 'agent-files-'));
  onTestFinished(async () => {
    await cli[Symbol.asyncDispose]();
    await rm(filesDir, { recursive: true, force: true });
  });
  const agent = processAgent(cli.path, filesDir);
  const at = await service('sqlite', agent);
  const hears = (text: string, threadId: string) =>
    at.platform.botPost((post) => post.text.includes(text) && post.threadId === threadId);
  return { ...at, hears };
}

test('a tool waits for a reaction, and the session goes on after a restart with what was said before', async () => {
  const { platform, hears, restart, call } = await withClaude();
  const { threadId } = await platform.say(OWNER, '@postern [[ask Bash {"command":"make"}]] [[say built]]');
  const card = await platform.botPost(
    (post) => post.text.includes('Permission') && post.threadId === threadId,
  );
  await expect.poll(() => platform.reactionsOn.get(card.postId)?.length, patience).toBe(3);
  await platform.reactAs(OWNER, card, '+1');
  await hears('built', threadId);
  const state = async () => (await call('GET', '/sessions')).body.data[0]?.queued;
  await expect.poll(state, patience).toBe(0);
  await restart();
  await platform.say(OWNER, '[[history]]', { threadId });
  await hears('[[ask Bash', threadId);
});

test('a turn that a restart cuts off is gone on with', async () => {
  const { platform, hears, restart } = await withClaude();
  const { threadId } = await platform.say(OWNER, '@postern [[say begun]] [[wait]]');
  await hears('begun', threadId);
  await restart();
  await hears('You said: [Note from the bot', threadId);
  await platform.say(OWNER, 'hello', { threadId });
  await hears('You said: hello', threadId);
});

test('an agent that dies without a word is told in the thread, and the next message goes on', async () => {
  const { platform, hears } = await withClaude();
  const { threadId } = await platform.say(OWNER, '@postern [[say begun]] [[die]]');
  await hears('ended without a result', threadId);
  await platform.say(OWNER, 'hello', { threadId });
  await hears('You said: hello', threadId);
});

test('!escape interrupts a turn, and !stop ends the process', async () => {
  const { platform, hears, call } = await withClaude();
  const { threadId } = await platform.say(OWNER, '@postern [[say begun]] [[wait]]');
  await hears('begun', threadId);
  await platform.say(OWNER, '!escape', { threadId });
  const state = async () => (await call('GET', '/sessions')).body.data[0].state;
  await expect.poll(state, patience).toBe('interrupted');
  await platform.say(OWNER, 'hello', { threadId });
  await hears('You said: hello', threadId);
  await platform.say(OWNER, '!stop', { threadId });
  await hears('This session is over', threadId);
  expect(await state()).toBe('ended');
});

test('!stop in the middle of a turn ends with one notice, which tells of the messages that waited', async () => {
  const { platform, hears, call } = await withClaude();
  const { threadId } = await platform.say(OWNER, '@postern [[say begun]] [[wait]]');
  await hears('begun', threadId);
  await platform.say(OWNER, 'two', { threadId });
  await platform.say(OWNER, 'three', { threadId });
  const queued = async () => (await call('GET', '/sessions')).body.data[0].queued;
  await expect.poll(queued, patience).toBe(2);
  await platform.say(OWNER, '!stop', { threadId });
  const notice = await hears('This session is over', threadId);
  expect(notice.text).toContain('2 messages that waited were not given to the agent');
  const behind = platform.posts.filter((post) => post.author.isBot && post.threadId === threadId);
  expect(behind.map(({ text }) => text).slice(-2)).toEqual(['begun', notice.text]);
});

test('a question stands behind what led to it, and before what follows from it', async () => {
  const { platform, hears } = await withClaude();
  const { threadId } = await platform.say(
    OWNER,
    '@postern [[say Because of this]] [[ask Bash {"command":"make"}]] [[say and so that]]',
  );
  const card = await platform.botPost(
    (post) => post.text.includes('make') && post.text.includes('Permission'),
  );
  await expect.poll(() => platform.reactionsOn.get(card.postId)?.length, patience).toBe(3);
  await platform.reactAs(OWNER, card, '+1');
  await hears('and so that', threadId);
  const place = (words: string) =>
    platform.posts.findIndex((post) => post.author.isBot && post.text.includes(words));
  expect(place('Because of this')).toBeLessThan(place('Permission'));
  expect(place('and so that')).toBeGreaterThan(place('Permission'));
});

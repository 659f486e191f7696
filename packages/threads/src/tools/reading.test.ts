import { describe, expect, test } from 'vitest';
import type { ChannelInfo, Platform } from '../platforms/platform.ts';
import { ALLOWED, BOT, fakePlatform, OWNER, STRANGER } from '../testing/index.ts';
import { type ToolBench, toolBench } from '../testing/tool-bench.ts';

/** What the tools read, and what they don't. */

const own = { channelId: 'main', threadId: null } as const;

/** The platform with a channel of each kind, a message in each; the owner is in `lounge` and not in `garden`. */
async function bench(capabilities: Partial<Platform['capabilities']> = {}): Promise<ToolBench> {
  const platform = fakePlatform({ capabilities });
  const channel = (id: string, visibility: ChannelInfo['visibility'], isBotMember = true) =>
    platform.addChannel({ id, name: id, visibility, isBotMember });
  channel('lounge', 'public');
  channel('garden', 'public', false);
  channel('board', 'private');
  channel('dm', 'direct');
  platform.isMember = async (channelId, personId) => personId === OWNER.id && channelId !== 'garden';
  const at = await toolBench({ platform });
  await platform.say(OWNER, 'the root');
  await platform.say(STRANGER, 'the reply', { threadId: 'p1' });
  for (const channelId of ['lounge', 'garden', 'board', 'dm']) {
    await platform.say(STRANGER, `said in ${channelId}`, { channelId });
  }
  return at;
}

const link = (at: ToolBench, text: string): string => {
  const post = at.platform.posts.find((each) => each.text === text);
  return post === undefined ? '' : (at.platform.permalink(post) ?? '');
};

/** The texts an answer holds, in their order. */
function said(answer: Readonly<Record<string, unknown>>): string[] {
  expect(answer).toMatchObject({ ok: true });
  const [introduction, ...lines] = String(answer.content).split('\n');
  expect(introduction).toMatch(/untrusted/);
  return lines.map((line) => line.replace(/^\[[^\]]*\] /, ''));
}

const reason = (text: string) => ({ ok: false, reason: expect.stringContaining(text) });

describe('read_post', () => {
  test('reads the message a permalink leads to, untrusted, with its author’s id', async () => {
    const at = await bench();
    const answer = await at.run('read_post', { url: link(at, 'the reply') });
    expect(said(answer)).toEqual(['the reply']);
    expect(answer.content).toContain('[u-stranger sam,');
  });

  test.each(['true', true])('reads the thread around it with include_thread %j', async (include_thread) => {
    const at = await bench();
    expect(said(await at.run('read_post', { url: link(at, 'the reply'), include_thread }))).toEqual([
      'the root',
      'the reply',
    ]);
  });

  test('shows the newest of a long thread, oldest first, and the message that was asked for', async () => {
    const at = await bench();
    for (let turn = 0; turn < 60; turn += 1) await at.platform.say(OWNER, `more ${turn}`, { threadId: 'p1' });
    const read = (max_messages?: unknown) =>
      at.run('read_post', { url: link(at, 'the root'), include_thread: true, max_messages });
    expect(said(await read('2'))).toEqual(['the root', 'more 58', 'more 59']);
    expect(said(await read())).toHaveLength(21);
    expect(said(await read(1_000))).toHaveLength(51);
    expect(said(await read(-3))).toEqual(['the root', 'more 59']);
  });

  test('reads links as a chat writes them', async () => {
    const at = await bench();
    expect(said(await at.run('read_post', { url: ` <${link(at, 'the root')}|a post> ` }))).toEqual([
      'the root',
    ]);
  });

  test('reads public channels of the instance', async () => {
    const at = await bench();
    expect(said(await at.run('read_post', { url: link(at, 'said in garden') }))).toEqual(['said in garden']);
  });

  test('on a platform that reads its own channel alone, reads no other', async () => {
    const at = await bench({ readsOwnChannelOnly: true });
    expect(await at.run('read_post', { url: link(at, 'said in lounge') })).toEqual(
      reason('own channel only'),
    );
    expect(said(await at.run('read_post', { url: link(at, 'the root') }))).toEqual(['the root']);
  });

  test('on such a platform, refuses a post that turns out to lie elsewhere', async () => {
    const at = await bench({ readsOwnChannelOnly: true });
    at.platform.parsePermalink = (url) => ({ channelId: null, postId: url, threadId: null });
    const post = at.platform.posts.find(({ text }) => text === 'said in lounge');
    expect(await at.run('read_post', { url: post?.postId })).toEqual(reason('own channel only'));
  });

  test.each(['board', 'dm'])('reads no message of the channel %s', async (channel) => {
    const at = await bench();
    expect(await at.run('read_post', { url: link(at, `said in ${channel}`) })).toEqual(reason('neither'));
  });

  test('does not read through a link that names a channel in scope and leads out of it', async () => {
    const at = await bench();
    const post = at.platform.posts.find(({ text }) => text === 'said in board');
    expect(await at.run('read_post', { url: `fake://main/${post?.postId}` })).toEqual(reason('neither'));
  });

  test.each(['https://evil.example/team/pl/p1', 'p1', '', 'fake://main/nothing'])(
    'refuses the link %j',
    async (url) => {
      const at = await bench();
      expect(await at.run('read_post', { url })).toEqual(reason('not a permalink'));
    },
  );

  test('says so when there is no such message', async () => {
    const at = await bench();
    expect(await at.run('read_post', { url: 'fake://main/p999' })).toEqual(reason('no such message'));
  });
});

describe('list_thread', () => {
  test('reads the thread of the session without url', async () => {
    const at = await bench();
    for (const input of [{}, { url: null }, { url: '' }]) {
      expect(said(await at.run('list_thread', input))).toEqual(['the root', 'the reply']);
    }
  });

  test('reads the whole channel where that is the session', async () => {
    const at = await bench();
    await at.platform.say(OWNER, 'another root');
    const session = { ...at.context.session, ...own };
    expect(said(await at.run('list_thread', { max_messages: 2 }, { session }))).toEqual([
      'the reply',
      'another root',
    ]);
  });

  test('gives the newest of a long thread, oldest first', async () => {
    const at = await bench();
    for (let turn = 0; turn < 60; turn += 1) await at.platform.say(OWNER, `more ${turn}`, { threadId: 'p1' });
    expect(said(await at.run('list_thread', { max_messages: 2 }))).toEqual(['more 58', 'more 59']);
    expect(said(await at.run('list_thread', { max_messages: '500' }))).toHaveLength(50);
    expect(said(await at.run('list_thread', { max_messages: 0 }))).toEqual(['more 59']);
  });

  test('reads the thread of any message in scope', async () => {
    const at = await bench();
    expect(said(await at.run('list_thread', { url: link(at, 'the reply') }))).toEqual([
      'the root',
      'the reply',
    ]);
    expect(said(await at.run('list_thread', { url: link(at, 'said in lounge') }))).toEqual([
      'said in lounge',
    ]);
    expect(await at.run('list_thread', { url: link(at, 'said in board') })).toEqual(reason('neither'));
    expect(await at.run('list_thread', { url: 'https://evil.example/pl/p1' })).toEqual(
      reason('not a permalink'),
    );
  });
});

describe('read_channel_history', () => {
  test('reads the bot’s own channel and public ones the owner is in', async () => {
    const at = await bench();
    expect(said(await at.run('read_channel_history', { channel_id: 'main' }))).toEqual([
      'the root',
      'the reply',
    ]);
    expect(said(await at.run('read_channel_history', { channel_id: 'lounge' }))).toEqual(['said in lounge']);
  });

  test('reads none that the session’s owner is not in', async () => {
    const at = await bench();
    const answer = await at.run('read_channel_history', { channel_id: 'garden' });
    expect(answer).toEqual(reason('owner is not a member'));
  });

  test.each(['board', 'dm', 'unknown'])('does not read %s', async (channel_id) => {
    const at = await bench();
    expect(await at.run('read_channel_history', { channel_id })).toEqual(reason('neither'));
  });

  test('where the bot reads only what it is in, it has to be invited first', async () => {
    const at = await bench({ readsOwnChannelOnly: true });
    expect(await at.run('read_channel_history', { channel_id: 'garden' })).toEqual(
      reason('bot is not a member'),
    );
    expect(said(await at.run('read_channel_history', { channel_id: 'lounge' }))).toEqual(['said in lounge']);
  });

  test('looks at the shape of an id before it asks', async () => {
    const at = await bench();
    for (const channel_id of ['', '#main', '../main', 'x'.repeat(40)]) {
      expect(await at.run('read_channel_history', { channel_id })).toEqual(reason('shape'));
    }
  });

  test('gives 20 unless told, and at most 100', async () => {
    const at = await bench();
    for (let turn = 0; turn < 120; turn += 1) await at.platform.say(OWNER, `more ${turn}`);
    const read = async (max_messages?: unknown) =>
      said(await at.run('read_channel_history', { channel_id: 'main', max_messages })).length;
    expect(await read()).toBe(20);
    expect(await read('7')).toBe(7);
    expect(await read(9_999)).toBe(100);
    expect(await read(-1)).toBe(1);
  });

  test('refuses a number that is none', async () => {
    const at = await bench();
    const answer = await at.run('read_channel_history', { channel_id: 'main', max_messages: 'many' });
    expect(answer).toEqual(reason('max_messages must be a whole number'));
  });
});

describe('search_messages', () => {
  test('finds only what is in scope and open to the owner', async () => {
    const at = await bench();
    expect(said(await at.run('search_messages', { query: 'said in' }))).toEqual(['said in lounge']);
    expect(said(await at.run('search_messages', { query: 'the' }))).toEqual(['the reply', 'the root']);
  });

  test('is not starved by what is out of scope', async () => {
    const at = await bench();
    for (let turn = 0; turn < 9; turn += 1)
      await at.platform.say(STRANGER, `the ${turn}`, { channelId: 'board' });
    expect(said(await at.run('search_messages', { query: 'the', max_results: 3 }))).toEqual([
      'the reply',
      'the root',
    ]);
  });

  test('gives 10 unless told, and at most 25', async () => {
    const at = await bench();
    for (let turn = 0; turn < 40; turn += 1) await at.platform.say(OWNER, `more ${turn}`);
    expect(said(await at.run('search_messages', { query: 'more' }))).toHaveLength(10);
    expect(said(await at.run('search_messages', { query: 'more', max_results: '99' }))).toHaveLength(25);
    expect(said(await at.run('search_messages', { query: 'more', max_results: 0 }))).toHaveLength(1);
  });

  test('says so where there is no search', async () => {
    const at = await bench({ search: false });
    expect(await at.run('search_messages', { query: 'more' })).toEqual(reason('not supported'));
  });

  test('wants something to search for', async () => {
    const at = await bench();
    expect(await at.run('search_messages', { query: ' ' })).toEqual(reason('empty'));
    expect(await at.run('search_messages', { query: 'x'.repeat(501) })).toEqual(reason('500'));
  });
});

describe('a session in a direct conversation', () => {
  async function direct(owner: { id: string; name: string }) {
    const at = await bench();
    at.platform.addPerson({ ...owner, isBot: false }, owner.id === OWNER.id);
    const channelId = await at.platform.directChannel(owner.id);
    await at.platform.say({ ...owner, isBot: false }, 'just between us', { channelId });
    const session = { ...at.context.session, channelId, threadId: null, owner };
    const run = (tool: string, input: object) => at.run(tool, { ...input }, { session });
    return { ...at, run, channelId };
  }

  test('reads its own conversation', async () => {
    const at = await direct(OWNER);
    expect(said(await at.run('list_thread', {}))).toContain('just between us');
    expect(said(await at.run('read_post', { url: link(at, 'just between us') }))).toContain(
      'just between us',
    );
  });

  test('reads the bot’s channel when its owner is in it, and not otherwise', async () => {
    const input = (at: ToolBench) => ({ channel_id: at.platform.channelId });
    const member = await direct(OWNER);
    expect(await member.run('read_channel_history', input(member))).toMatchObject({ ok: true });
    const outside = await direct({ id: 'u-outside', name: 'outside' });
    expect(await outside.run('read_channel_history', input(outside))).toMatchObject({ ok: false });
    expect(await outside.run('read_post', { url: link(outside, 'the reply') })).toEqual(reason('neither'));
  });

  test('reads no conversation of anybody else', async () => {
    const at = await direct(OWNER);
    const channelId = await at.platform.directChannel(STRANGER.id);
    await at.platform.say(STRANGER, 'of somebody else', { channelId });
    expect(await at.run('read_channel_history', { channel_id: channelId })).toMatchObject({ ok: false });
    expect(await at.run('read_post', { url: link(at, 'of somebody else') })).toEqual(reason('neither'));
  });
});

describe('react_to_post', () => {
  const reactions = (at: ToolBench, text: string) =>
    at.platform.reactionsOn.get(at.platform.posts.find((post) => post.text === text)?.postId ?? '');

  test('without url reacts to the newest message that is not the bot’s', async () => {
    const at = await bench();
    await at.platform.post({ ...own, threadId: 'p1', markdown: 'of the bot' });
    expect(await at.run('react_to_post', { emoji: 'eyes' })).toEqual({ ok: true });
    expect(reactions(at, 'the reply')).toEqual([{ emoji: 'eyes', personId: BOT.id }]);
  });

  test('without url finds the newest message in a thread of hundreds', async () => {
    const at = await bench();
    for (let turn = 0; turn < 130; turn += 1)
      await at.platform.say(OWNER, `more ${turn}`, { threadId: 'p1' });
    await at.run('react_to_post', { emoji: 'White_Check_Mark' });
    expect(reactions(at, 'more 129')).toEqual([{ emoji: 'white_check_mark', personId: BOT.id }]);
  });

  test('without url takes the newest of the whole channel where that is the session, however much the bot wrote', async () => {
    const at = await bench();
    const session = { ...at.context.session, threadId: null };
    await at.platform.say(STRANGER, 'the newest');
    for (let line = 0; line < 60; line += 1) {
      await at.platform.post({ ...own, threadId: null, markdown: `line ${line}` });
    }
    expect(await at.run('react_to_post', { emoji: 'eyes' }, { session })).toEqual({ ok: true });
    expect(reactions(at, 'the newest')).toEqual([{ emoji: 'eyes', personId: BOT.id }]);
  });

  test('without url says so when nobody has written', async () => {
    const at = await toolBench();
    expect(await at.run('react_to_post', { emoji: 'eyes' })).toEqual(reason('give a url'));
  });

  test('reacts to a message in scope, and to no other', async () => {
    const at = await bench();
    expect(await at.run('react_to_post', { url: link(at, 'said in lounge'), emoji: '+1' })).toEqual({
      ok: true,
    });
    expect(reactions(at, 'said in lounge')).toEqual([{ emoji: '+1', personId: BOT.id }]);
    expect(await at.run('react_to_post', { url: link(at, 'said in board'), emoji: '+1' })).toEqual(
      reason('neither'),
    );
    expect(reactions(at, 'said in board')).toBeUndefined();
  });

  test.each([
    ['eyes', 'eyes'],
    [':eyes:', 'eyes'],
    ['👀', 'eyes'],
    [' 👍🏽 ', '+1'],
    ['❤', 'heart'],
    ['❤️', 'heart'],
    [':white_check_mark:', 'white_check_mark'],
  ])('takes the emoji %j', async (emoji, name) => {
    const at = await bench();
    expect(await at.run('react_to_post', { emoji })).toEqual({ ok: true });
    expect(reactions(at, 'the reply')).toEqual([{ emoji: name, personId: BOT.id }]);
  });

  test.each(['::', '', 'two words', '👀👀', ':eyes', 'x'.repeat(65), '../x', '𝔵'])(
    'refuses the emoji %j',
    async (emoji) => {
      const at = await bench();
      expect(await at.run('react_to_post', { emoji })).toEqual(reason('no emoji known'));
    },
  );
});

describe('update_own_post', () => {
  async function withOwn(at: ToolBench, text: string): Promise<string> {
    const ref = await at.platform.post({ ...own, threadId: 'p1', markdown: text });
    return at.platform.permalink(ref) ?? '';
  }

  test('replaces the text of a message of the bot', async () => {
    const at = await bench();
    const url = await withOwn(at, 'working on it');
    expect(await at.run('update_own_post', { url, message: 'done' })).toEqual({ ok: true });
    expect(at.platform.posts.at(-1)?.text).toBe('done');
  });

  test('leaves messages of others alone', async () => {
    const at = await bench();
    const url = link(at, 'the reply');
    expect(await at.run('update_own_post', { url, message: 'forged' })).toEqual(reason('Someone else'));
  });

  test('leaves a question that waits for an answer as people were shown it', async () => {
    const at = await bench();
    const answer = at.run('permission_prompt', { tool_name: 'Bash', input: { command: 'rm -rf /' } });
    const post = await at.platform.botPost(({ postId }) => at.platform.reactionsOn.get(postId)?.length === 3);
    const url = at.platform.permalink(post);
    expect(await at.run('update_own_post', { url, message: 'Run `ls`?' })).toEqual(reason('question'));
    await at.platform.reactAs(ALLOWED, post, '-1');
    expect(await answer).toMatchObject({ behavior: 'deny' });
  });

  test('takes a text that fits one message, and no empty one', async () => {
    const at = await bench();
    const url = await withOwn(at, 'x');
    expect(await at.run('update_own_post', { url, message: ' \n' })).toEqual(reason('empty'));
    expect(await at.run('update_own_post', { url, message: 'x'.repeat(4_001) })).toEqual(reason('4000'));
  });

  test('says so where messages cannot be edited', async () => {
    const at = await bench({ edit: false });
    expect(await at.run('update_own_post', { url: 'fake://main/p1', message: 'x' })).toEqual(
      reason('cannot be edited'),
    );
  });
});

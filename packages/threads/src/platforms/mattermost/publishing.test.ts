import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { platformOn } from '../../testing/fakes/mattermost/harness.ts';
import { type FakeMattermost, startFakeMattermost } from '../../testing/fakes/mattermost/server.ts';
import { recordedFeed } from '../../testing/recorded-feed.ts';
import type { Platform } from '../platform.ts';

let server: FakeMattermost;
let platform: Platform;

beforeEach(async () => {
  server = await startFakeMattermost();
  platform = platformOn(server);
});
afterEach(() => server.stop());

const texts = () =>
  server.model
    .listPosts(({ channel_id }) => channel_id === server.channel.id)
    .reverse()
    .map(({ message }) => message);
const post = (markdown: string, more: { key?: string; threadId?: string } = {}) =>
  platform.post({ channelId: server.channel.id, threadId: null, markdown, ...more });
const asked = (name: string) => server.requests.filter((request) => request.name === name);

describe('posting', () => {
  test('the token goes into the Authorization header and nowhere else', async () => {
    await post('hello');
    for (const { headers, url } of server.requests) {
      expect(headers.authorization).toBe(`Bearer ${server.bot.token}`);
      expect(url).not.toContain(server.bot.token);
    }
  });

  test('the server is told to fetch no page and show no picture that a post names', async () => {
    const { postId } = await post('see https://example.com ![picture](https://example.com/p.png)');
    expect(server.model.post(postId).props.unsafe_links).toBe('true');
  });

  test('a post whose answer is lost again and again is there once', async () => {
    server.fail('post', { kind: 'lost-answer' });
    server.fail('readChannelPosts', { kind: 'cut' });
    const ref = await post('once');
    expect(texts()).toEqual(['once']);
    expect(server.model.post(ref.postId).message).toBe('once');
    expect(asked('post')).toHaveLength(1);
  });

  test('a post that never reached the server is made by the next try', async () => {
    server.fail('post', { kind: 'cut' });
    await post('after all');
    expect(texts()).toEqual(['after all']);
  });

  test('a key of an earlier process finds the post it made', async () => {
    const first = await post('kept', { key: 'session-1/7' });
    const again = await platformOn(server).post({
      channelId: server.channel.id,
      threadId: null,
      markdown: 'kept',
      key: 'session-1/7',
    });
    expect(again).toEqual(first);
    expect(texts()).toEqual(['kept']);
  });

  test('a key of another process finds the post it made, however long this one has stood by', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);
    const later = platformOn(server);
    pass(5 * 60);
    const message = { channelId: server.channel.id, threadId: null, markdown: 'kept', key: 'session-1/7' };
    const first = await platform.post(message);
    // The server itself knows the key for half a minute only.
    pass(1);
    const over = new AbortController();
    const running = later.run(recordedFeed(), over.signal);
    expect(await later.post(message)).toEqual(first);
    expect(texts()).toEqual(['kept']);
    over.abort();
    await running;
  });

  test('equal texts without a key are two posts', async () => {
    await post('ping');
    await post('ping');
    expect(texts()).toEqual(['ping', 'ping']);
  });

  test('a thread whose root was deleted is not found', async () => {
    const root = await post('root');
    await platform.delete(root);
    await expect(post('reply', { threadId: root.postId })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('thread is gone'),
    });
  });

  test('what is over the limit is refused before it is sent, and what is at it goes out', async () => {
    const longest = '👍'.repeat(16_383);
    await post(longest);
    await expect(post(`${longest}x`)).rejects.toMatchObject({ code: 'too_large' });
    expect(asked('post')).toHaveLength(1);
  });

  test('an edit the server comes too late for is refused in words', async () => {
    const ref = await post('old');
    server.model.settings.postEditTimeLimit = 0;
    const now = Date.now() + 10_000;
    server.model.now = () => now;
    await expect(platform.edit(ref, 'new')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('of that age'),
    });
  });

  test('an edit keeps the pin and the files of a post', async () => {
    const ref = await post('one');
    server.model.post(ref.postId).is_pinned = true;
    await platform.edit(ref, 'two');
    expect(server.model.post(ref.postId)).toMatchObject({ message: 'two', is_pinned: true });
  });

  test('an edit of a post that was deleted meanwhile says so', async () => {
    const ref = await post('short-lived');
    await platform.delete(ref);
    await expect(platform.edit(ref, 'too late')).rejects.toMatchObject({ code: 'not_found' });
  });

  test("another's post cannot be edited, and the refusal holds no token", async () => {
    const ada = server.model.addUser('ada');
    server.channel.members.add(ada.id);
    const theirs = server.model.createPost(ada, { channelId: server.channel.id, message: 'mine' });
    const refused = await platform
      .edit({ channelId: server.channel.id, postId: theirs.id }, 'ours')
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unauthorized' });
    expect(String(refused)).not.toContain(server.bot.token);
  });
});

describe('a server that asks for a pause', () => {
  test.each(['retry-after', 'reset', 'reset-epoch'] as const)('gets it (%s)', async (header) => {
    server.fail('post', { kind: 'limited', seconds: 1, header });
    await post('patience');
    expect(texts()).toEqual(['patience']);
    expect(server.early).toBe(0);
  });

  test('gets it from all calls', async () => {
    const ref = await post('a');
    server.fail('edit', { kind: 'limited', seconds: 1, header: 'retry-after' });
    const edited = platform.edit(ref, 'b');
    await expect.poll(() => asked('edit').length).toBe(1);
    await platform.readPost(ref);
    await edited;
    expect(server.early).toBe(0);
  });
});

describe('a server that does not answer well', () => {
  test('is asked again after a 5xx', async () => {
    const ref = await post('there');
    server.fail('readPost', { kind: 'status', status: 503 });
    expect((await platform.readPost(ref))?.text).toBe('there');
  });

  test('is given up after the deadline of a call, and a slow post is there once', async () => {
    platform = platformOn(server, { deadlineMs: 300 });
    const slow = Promise.withResolvers<void>();
    server.fail('post', { kind: 'slow', until: slow.promise });
    const posted = post('slow');
    await expect.poll(() => asked('readChannelPosts').length).toBeGreaterThan(0);
    slow.resolve();
    await posted;
    expect(texts()).toEqual(['slow']);
  });

  test('cannot send the token elsewhere by a redirect', async () => {
    const other = await startFakeMattermost();
    server.fail('readUser', {
      kind: 'status',
      status: 302,
      headers: { location: `${other.url}/api/v4/users/me` },
    });
    await expect(platform.self()).rejects.toMatchObject({ code: 'refused' });
    expect(other.requests).toHaveLength(0);
    await other.stop();
  });

  test('is told from a page that is no API', async () => {
    server.fail('readUser', { kind: 'page' });
    await expect(platform.self()).rejects.toThrow(/is the url right/);
  });
});

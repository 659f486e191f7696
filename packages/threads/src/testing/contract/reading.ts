import { expect, test } from 'vitest';
import type { Post } from '../../platforms/platform.ts';
import { type ContractTools, elsewhere, expectRefusal, post } from './tools.ts';

const textsOf = (posts: readonly Post[]) => posts.map(({ text }) => text);

export function readingContract({ start, testFault }: ContractTools): void {
  test('a post of a person is read with who wrote it, whom it names and when', async () => {
    const harness = await start();
    const { platform, ada, bot } = harness;
    const ref = await harness.say(ada, '{bot} is a < b && c > d? Ask @nobodyatall.');
    const read = await platform.readPost(ref);
    expect(read).toMatchObject({
      ...ref,
      threadId: ref.postId,
      author: ada,
      text: `@${bot.name} is a < b && c > d? Ask @nobodyatall.`,
      files: [],
      editedMs: null,
    });
    expect(read?.mentions[0]).toEqual({ text: `@${bot.name}`, personId: bot.id });
    // A platform with mentions of its own does not take a mere word for one.
    expect(read?.mentions.slice(1).every(({ personId }) => personId === null)).toBe(true);
    expect(Number.isSafeInteger(read?.createdMs)).toBe(true);
  });

  test('an edited post is read as it is now', async () => {
    const harness = await start();
    const ref = await harness.say(harness.ada, 'before');
    await harness.edit(harness.ada, ref, 'after');
    const read = await harness.platform.readPost(ref);
    expect(read?.text).toBe('after');
    expect(read?.editedMs).not.toBeNull();
  });

  test('a post that is not there, or deleted, is null', async () => {
    const harness = await start();
    const ref = await harness.say(harness.ada, 'here');
    expect(await harness.platform.readPost(elsewhere(ref))).toBeNull();
    await harness.delete(harness.ada, ref);
    expect(await harness.platform.readPost(ref)).toBeNull();
  });

  test('of a thread the newest are read, oldest first, the root only if it is one of them', async () => {
    const harness = await start();
    const { platform, ada, ben } = harness;
    const root = await harness.say(ada, 'root');
    for (let index = 1; index <= 6; index += 1) {
      if (index === 4) await post(harness, 'reply 4', { threadId: root.postId });
      else await harness.say(index % 2 ? ben : ada, `reply ${index}`, { threadId: root.postId });
    }
    await harness.say(ben, 'of another thread');
    const read = await platform.readThread(root.channelId, root.postId, 3);
    expect(textsOf(read)).toEqual(['reply 4', 'reply 5', 'reply 6']);
    expect(read[0]?.author).toEqual(harness.bot);
    expect(read.every(({ threadId }) => threadId === root.postId)).toBe(true);
    const all = await platform.readThread(root.channelId, root.postId, 50);
    expect(textsOf(all)).toEqual(['root', ...[1, 2, 3, 4, 5, 6].map((index) => `reply ${index}`)]);
    expect(textsOf(await platform.readThread(root.channelId, root.postId, 1))).toEqual(['reply 6']);
  });

  test('of a long thread too', async () => {
    const harness = await start();
    const { platform, ada } = harness;
    const root = await harness.say(ada, 'root');
    for (let index = 1; index <= 230; index += 1) {
      await harness.say(ada, `reply ${index}`, { threadId: root.postId });
    }
    const read = await platform.readThread(root.channelId, root.postId, 50);
    expect(textsOf(read)).toEqual(Array.from({ length: 50 }, (_, index) => `reply ${index + 181}`));
  });

  test('of a thread with deleted replies those that are left are read', async () => {
    const harness = await start();
    const { platform, ada } = harness;
    const root = await harness.say(ada, 'root');
    const replies = [];
    for (let index = 1; index <= 5; index += 1) {
      replies.push(await harness.say(ada, `reply ${index}`, { threadId: root.postId }));
    }
    for (const gone of replies.slice(2, 4)) await harness.delete(ada, gone);
    expect(textsOf(await platform.readThread(root.channelId, root.postId, 3))).toEqual([
      'reply 1',
      'reply 2',
      'reply 5',
    ]);
  });

  test('a thread that is not there has no posts', async () => {
    const harness = await start();
    const ref = elsewhere(await harness.say(harness.ada, 'here'));
    const read = await harness.platform.readThread(ref.channelId, ref.postId, 5).then(
      (posts) => posts,
      (error: unknown) => error,
    );
    if (Array.isArray(read)) expect(read).toEqual([]);
    else await expectRefusal(Promise.reject(read), 'not_found');
  });

  test('of a channel the newest are read, oldest first', async () => {
    const harness = await start();
    const { platform, ada, ben } = harness;
    for (let index = 1; index <= 5; index += 1) await harness.say(ada, `post ${index}`);
    expect(textsOf(await platform.readChannel(platform.channelId, 3))).toEqual([
      'post 3',
      'post 4',
      'post 5',
    ]);
    expect(textsOf(await platform.readChannel(platform.channelId, 50))).toHaveLength(5);
    const { otherChannelId } = harness;
    if (otherChannelId === null) return;
    await harness.say(ada, 'over there', { channelId: otherChannelId });
    await harness.say(ben, 'over here');
    expect(textsOf(await platform.readChannel(otherChannelId, 5))).toEqual(['over there']);
  });

  test('of a long channel too', async () => {
    const harness = await start();
    const { platform, ada } = harness;
    for (let index = 1; index <= 230; index += 1) await harness.say(ada, `post ${index}`);
    const read = await platform.readChannel(platform.channelId, 100);
    expect(textsOf(read)).toEqual(Array.from({ length: 100 }, (_, index) => `post ${index + 131}`));
  });

  test('search finds the newest first, or says that there is none', async () => {
    const harness = await start();
    const { platform, ada, ben } = harness;
    if (!platform.capabilities.search) {
      await expectRefusal(platform.search('needle', 5), 'unsupported');
      return;
    }
    await harness.say(ada, 'needle one');
    await harness.say(ada, 'hay');
    await harness.say(ben, 'needle two');
    await harness.say(ada, 'needle three');
    expect(textsOf(await platform.search('needle', 2))).toEqual(['needle three', 'needle two']);
    expect(textsOf(await platform.search(`needle from:${ben.name}`, 5))).toEqual(['needle two']);
    expect(await platform.search('nowhere', 5)).toEqual([]);
  });

  testFault('failNextRead', 'a read that fails on the server is tried again', async () => {
    const harness = await start();
    const root = await harness.say(harness.ada, 'root');
    harness.faults.failNextRead?.();
    expect(textsOf(await harness.platform.readThread(root.channelId, root.postId, 5))).toEqual(['root']);
  });

  testFault('rateLimit', 'a read that is refused for now is answered later', async () => {
    const harness = await start();
    const root = await harness.say(harness.ada, 'root');
    harness.faults.rateLimit?.next('readThread');
    expect(textsOf(await harness.platform.readThread(root.channelId, root.postId, 5))).toEqual(['root']);
    expect(harness.faults.rateLimit?.early()).toBe(0);
  });
}

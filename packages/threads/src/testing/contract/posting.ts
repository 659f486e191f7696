import { expect, test } from 'vitest';
import type { PlatformHarness } from '../platform-harness.ts';
import { botTexts, type ContractTools, elsewhere, expectRefusal, post } from './tools.ts';

const MASS_MENTIONS =
  '@all @channel @here @everyone <!channel> <!here> <!here|here> <!everyone> <!subteam^S0123|team>';

export function postingContract({ start, testFault, traits }: ContractTools): void {
  test('a post is pinned where there is such a thing, and twice is no error', async () => {
    const harness = await start();
    const root = await post(harness, 'hello');
    for (let times = 0; times < 2; times += 1) await harness.platform.pin?.(root);
    expect(await texts(harness)).toEqual(['hello']);
  });

  test('a post is there as the bot wrote it, as a root or in a thread', async () => {
    const harness = await start();
    const root = await post(harness, 'hello');
    const reply = await post(harness, 'and more', { threadId: root.postId });
    expect(root.channelId).toBe(harness.platform.channelId);
    expect(await harness.platform.readPost(root)).toMatchObject({
      ...root,
      threadId: root.postId,
      text: 'hello',
      author: harness.bot,
      editedMs: null,
      isSystem: false,
    });
    expect(await harness.platform.readPost(reply)).toMatchObject({ ...reply, threadId: root.postId });
    expect((await texts(harness)).sort()).toEqual(['and more', 'hello']);
  });

  test('a post answers in the thread that a person began', async () => {
    const harness = await start();
    const root = await harness.say(harness.ada, 'a question');
    const reply = await post(harness, 'an answer', { threadId: root.postId });
    expect(await harness.platform.readPost(reply)).toMatchObject({ threadId: root.postId });
  });

  test('plain characters come through, whatever they mean to a formatter', async () => {
    const harness = await start();
    const text = "cost $& $1 $$ $` $' 5 < 6 > 4 && done; a_b c:d 100% é 漢字 👍🏽 &amp; &lt;";
    const ref = await post(harness, text);
    expect(harness.readable((await harness.serverText(ref)) ?? '')).toBe(text);
    expect((await harness.platform.readPost(ref))?.text).toBe(text);
  });

  test('an edit replaces the whole text, also when it is the same again', async () => {
    const harness = await start();
    const ref = await post(harness, 'first');
    await harness.platform.edit(ref, 'second');
    await harness.platform.edit(ref, 'second');
    expect(await texts(harness)).toEqual(['second']);
    expect((await harness.platform.readPost(ref))?.text).toBe('second');
  });

  test('only the bot’s own posts are edited', async () => {
    const harness = await start();
    const theirs = await harness.say(harness.ada, 'mine');
    await expectRefusal(harness.platform.edit(theirs, 'yours'), 'refused', 'unauthorized', 'not_found');
    expect(await harness.serverText(theirs)).toBe('mine');
    const nowhere = harness.platform.edit(elsewhere(theirs), 'x');
    await expectRefusal(nowhere, 'not_found', 'refused', 'unauthorized');
  });

  test('a deleted post is gone, and deleting it again is no error', async () => {
    const harness = await start();
    const ref = await post(harness, 'oops');
    await harness.platform.delete(ref);
    await harness.platform.delete(ref);
    expect(await harness.serverText(ref)).toBeNull();
    expect(await harness.platform.readPost(ref)).toBeNull();
    await expectRefusal(harness.platform.edit(ref, 'back'), 'refused', 'unauthorized', 'not_found');
  });

  test('only the bot’s own posts are deleted', async () => {
    const harness = await start();
    const theirs = await harness.say(harness.ada, 'mine');
    await expectRefusal(harness.platform.delete(theirs), 'refused', 'unauthorized', 'not_found');
    expect(await harness.serverText(theirs)).toBe('mine');
  });

  test('a text of 60,000 characters goes out in pieces, code closed and reopened, nothing lost', async () => {
    const harness = await start();
    const words = Array.from({ length: 2_600 }, (_, index) => `word${index}`);
    const code = Array.from({ length: 1_200 }, (_, index) => `if (line${index} < max && ok) run();`);
    const markdown = `${words.join(' ')}\n\n\`\`\`ts\n${code.join('\n')}\n\`\`\`\n\nThe end.`;
    expect(markdown.length).toBeGreaterThan(60_000);
    await postAll(harness, markdown);
    const pieces = await texts(harness);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect((piece.match(/^```/gm) ?? []).length % 2).toBe(0);
    const whole = pieces.join('\n');
    expect(whole.match(/word\d+/g)).toEqual(words);
    expect(whole.match(/if \(line\d+ < max && ok\) run\(\);/g)).toEqual(code);
    expect(pieces.at(-1)).toContain('The end.');
  });

  test('a text of emoji alone goes out whole, in the platform’s own unit', async () => {
    const harness = await start();
    const { limit } = harness.platform.capabilities.message;
    await postAll(harness, '👍🏽'.repeat(limit));
    const all = (await texts(harness)).join('');
    expect((all.match(/👍🏽/gu) ?? []).length).toBe(limit);
  });

  test('a text that is all markup to escape still fits', async () => {
    const harness = await start();
    const markdown = '<&> '.repeat(Math.ceil(harness.platform.capabilities.message.limit / 4) + 10);
    await postAll(harness, markdown);
    const all = (await texts(harness)).join(' ');
    expect((all.match(/<&>/g) ?? []).length).toBe(markdown.length / 4);
  });

  test('nothing is no piece, and no post', async () => {
    const harness = await start();
    expect(harness.platform.split('')).toEqual([]);
    expect(harness.platform.split(' \n\n')).toEqual([]);
    await expectRefusal(post(harness, ' \n'), 'refused');
    expect(await texts(harness)).toEqual([]);
  });

  test('a text that fits no message is refused, not cut', async () => {
    const harness = await start();
    const { limit } = harness.platform.capabilities.message;
    await expectRefusal(post(harness, 'x'.repeat(limit + 1)), 'too_large', 'refused');
    const ref = await post(harness, 'short');
    await expectRefusal(harness.platform.edit(ref, 'x'.repeat(limit + 1)), 'too_large', 'refused');
    expect(await texts(harness)).toEqual(['short']);
  });

  test('a post rings for nobody but those it names', async () => {
    const harness = await start();
    const { platform } = harness;
    const refs = [];
    for (const piece of platform.split(MASS_MENTIONS)) refs.push(await post(harness, piece));
    refs.push(await post(harness, MASS_MENTIONS));
    const edited = await post(harness, 'soon');
    await platform.edit(edited, MASS_MENTIONS);
    const content = chunks(Buffer.from('bytes'));
    refs.push(
      edited,
      await platform.upload({
        channelId: platform.channelId,
        threadId: null,
        name: 'a.txt',
        mime: 'text/plain',
        sizeBytes: 5,
        content,
        caption: MASS_MENTIONS,
      }),
    );
    for (const ref of refs) expect(harness.ringsForAll((await harness.serverText(ref)) ?? '')).toBe(false);
  });

  test('a post to a channel that is not there is refused', async () => {
    const harness = await start();
    const { channelId } = harness.platform;
    const nowhere = `${channelId.slice(0, -1)}${channelId.endsWith('9') ? '8' : '9'}`;
    const call = post(harness, 'hello', { channelId: nowhere });
    await expectRefusal(call, 'not_found', 'refused', 'unauthorized');
  });

  test('a thread whose root has vanished takes the post or refuses it, and says which', async () => {
    const harness = await start();
    const root = await harness.say(harness.ada, 'soon gone');
    await post(harness, 'first answer', { threadId: root.postId });
    await harness.delete(harness.ada, root);
    const outcome = await post(harness, 'second answer', { threadId: root.postId }).then(
      (ref) => ref,
      (error: unknown) => error,
    );
    const isOut = (await texts(harness)).includes('second answer');
    if (isOut) expect(outcome).toMatchObject({ channelId: harness.platform.channelId });
    else await expectRefusal(Promise.reject(outcome), 'not_found', 'refused');
  });

  if (traits.keyedPosts === true) {
    test('posting again with the same key makes no second post', async () => {
      const harness = await start();
      const key = 'question 17 / first';
      const first = await post(harness, 'once', { key });
      expect(await post(harness, 'once', { key })).toEqual(first);
      expect(await post(harness, 'once', { key: 'question 18' })).not.toEqual(first);
      expect(await texts(harness)).toEqual(['once', 'once']);
    });
  }

  testFault('rateLimit', 'a post that is refused for now goes out later, once', async () => {
    const harness = await start();
    harness.faults.rateLimit?.next('post');
    await post(harness, 'patience');
    expect(await texts(harness)).toEqual(['patience']);
    expect(harness.faults.rateLimit?.early()).toBe(0);
  });

  testFault(
    'loseAnswerOfNextPost',
    'a post whose answer was lost is not doubled behind our back',
    async () => {
      const harness = await start();
      harness.faults.loseAnswerOfNextPost?.();
      const outcome = await post(harness, 'perhaps').then(
        (ref) => harness.serverText(ref),
        (error: unknown) => error,
      );
      expect(await texts(harness)).toEqual(['perhaps']);
      if (outcome !== 'perhaps') await expectRefusal(Promise.reject(outcome), 'unknown');
    },
  );
}

async function texts(harness: PlatformHarness): Promise<string[]> {
  return (await botTexts(harness, harness.platform.channelId)).map((text) => harness.readable(text));
}

async function postAll(harness: PlatformHarness, markdown: string): Promise<void> {
  const root = await harness.say(harness.ada, 'go');
  for (const piece of harness.platform.split(markdown)) {
    await post(harness, piece, { threadId: root.postId });
  }
}

async function* chunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

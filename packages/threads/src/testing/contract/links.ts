import { expect, test } from 'vitest';
import { type ContractTools, post } from './tools.ts';

export function linksContract({ start }: ContractTools): void {
  test('the link of a post leads back to it', async () => {
    const harness = await start();
    const { platform } = harness;
    const root = await post(harness, 'here');
    const reply = await post(harness, 'there', { threadId: root.postId });
    for (const ref of [root, reply]) {
      const link = platform.permalink(ref);
      expect(link).not.toBeNull();
      const parsed = platform.parsePermalink(link ?? '');
      expect(parsed).toMatchObject({ postId: ref.postId });
      expect([null, ref.channelId]).toContain(parsed?.channelId);
    }
  });

  test('slashes, queries and chat markup around a link do not matter', async () => {
    const harness = await start();
    const ref = await post(harness, 'here');
    const variants = harness.links.variants(harness.platform.permalink(ref) ?? '');
    expect(variants.length).toBeGreaterThan(2);
    for (const link of variants) {
      expect([link, harness.platform.parsePermalink(link)?.postId]).toEqual([link, ref.postId]);
    }
  });

  test('other hosts, look-alikes, other paths and no links at all are none of ours', async () => {
    const harness = await start();
    const ref = await post(harness, 'here');
    const foreign = harness.links.foreign(harness.platform.permalink(ref) ?? '');
    expect(foreign.length).toBeGreaterThan(4);
    for (const link of foreign) expect([link, harness.platform.parsePermalink(link)]).toEqual([link, null]);
  });
}

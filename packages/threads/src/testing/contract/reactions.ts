import { expect, test } from 'vitest';
import { canonicalEmoji } from '../../platforms/emoji.ts';
import { type ContractTools, elsewhere, expectRefusal, post } from './tools.ts';

export function reactionsContract({ start }: ContractTools): void {
  test('the bot reacts and takes it back, each as often as it likes', async () => {
    const harness = await start();
    const { platform, bot } = harness;
    const ref = await harness.say(harness.ada, 'done?');
    await platform.react(ref, 'white_check_mark');
    await platform.react(ref, 'white_check_mark');
    await platform.react(ref, 'eyes');
    expect(await harness.serverReactions(ref)).toEqual([
      { emoji: 'white_check_mark', personId: bot.id },
      { emoji: 'eyes', personId: bot.id },
    ]);
    await platform.unreact(ref, 'white_check_mark');
    await platform.unreact(ref, 'white_check_mark');
    expect(await harness.serverReactions(ref)).toEqual([{ emoji: 'eyes', personId: bot.id }]);
  });

  test('the reactions of people are read, skin tone and all, the bot’s own left out', async () => {
    const harness = await start();
    const { platform, ada, ben } = harness;
    const ref = await post(harness, 'allow?');
    await platform.react(ref, '+1');
    await harness.react(ada, ref, harness.withSkinTone('+1'));
    await harness.react(ben, ref, 'eyes');
    const found = await platform.reactions(ref);
    expect(found.map(({ emoji, personId }) => [canonicalEmoji(emoji), personId])).toEqual([
      ['+1', ada.id],
      ['eyes', ben.id],
    ]);
    expect(found[0]?.emoji).not.toBe('+1');
    await harness.unreact(ben, ref, 'eyes');
    expect(await platform.reactions(ref)).toHaveLength(1);
  });

  test('several people may put the same', async () => {
    const harness = await start();
    const ref = await post(harness, 'allow?');
    await harness.react(harness.ada, ref, '+1');
    await harness.react(harness.ben, ref, '+1');
    const people = (await harness.platform.reactions(ref)).map(({ personId }) => personId);
    expect(people.sort()).toEqual([harness.ada.id, harness.ben.id].sort());
  });

  test('what is no emoji, and a post that is not there, are refused', async () => {
    const harness = await start();
    const ref = await post(harness, 'here');
    await expectRefusal(harness.platform.react(ref, 'no such emoji!'), 'refused', 'not_found');
    await expectRefusal(
      harness.platform.react(elsewhere(ref), 'eyes'),
      'not_found',
      'refused',
      'unauthorized',
    );
    expect(await harness.serverReactions(ref)).toEqual([]);
  });
}

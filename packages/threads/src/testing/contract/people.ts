import { expect, test } from 'vitest';
import { botTexts, type ContractTools, expectRefusal, post } from './tools.ts';

export function peopleContract({ start, traits }: ContractTools): void {
  test('the bot knows who it is', async () => {
    const { platform, bot } = await start();
    expect(await platform.self()).toEqual(bot);
    expect(bot.isBot).toBe(true);
    expect(await platform.person(bot.id)).toEqual(bot);
  });

  test('someone is found by id, by name and by how they are addressed', async () => {
    const { platform, ada } = await start();
    expect(await platform.person(ada.id)).toEqual(ada);
    for (const text of [ada.id, ada.name, `@${ada.name}`, platform.mention(ada), ` ${ada.name} `]) {
      expect(await platform.findPerson(text)).toEqual(ada);
    }
  });

  test('nobody is found by what nobody is called', async () => {
    const { platform, ada } = await start();
    for (const text of [
      `${ada.name}x`,
      '@nobodyatall',
      '',
      '@',
      'two words',
      '../../users',
      '<@U00000000>',
    ]) {
      expect(await platform.findPerson(text)).toBeNull();
    }
    expect(await platform.person(`${ada.id.slice(0, -1)}${ada.id.endsWith('9') ? '8' : '9'}`)).toBeNull();
  });

  test('who is addressed is named in the post', async () => {
    const harness = await start();
    const ref = await post(harness, `over to ${harness.platform.mention(harness.ada)}, please`);
    const read = await harness.platform.readPost(ref);
    expect(read?.text).toBe(`over to @${harness.ada.name}, please`);
    expect(read?.mentions).toEqual([{ text: `@${harness.ada.name}`, personId: harness.ada.id }]);
  });

  test('members are told from others', async () => {
    const { platform, ada, outsider } = await start();
    expect(await platform.isMember(platform.channelId, ada.id)).toBe(true);
    expect(await platform.isMember(platform.channelId, outsider.id)).toBe(false);
  });

  test('the last member of a long list is one too', async () => {
    const harness = await start();
    const { platform, outsider } = harness;
    await harness.addMembers(traits.manyMembers);
    await harness.join(outsider);
    expect(await platform.isMember(platform.channelId, outsider.id)).toBe(true);
  });

  test('a direct conversation is one channel, where the bot may write', async () => {
    const harness = await start();
    const { platform, ben } = harness;
    if (!platform.capabilities.directMessages) return;
    const direct = await platform.directChannel(ben.id);
    expect(await platform.directChannel(ben.id)).toBe(direct);
    expect(await platform.channel(direct)).toMatchObject({ id: direct, visibility: 'direct' });
    const ref = await post(harness, 'between us', { channelId: direct });
    expect(ref.channelId).toBe(direct);
    expect((await botTexts(harness, direct)).map(harness.readable)).toEqual(['between us']);
    expect(await botTexts(harness, platform.channelId)).toEqual([]);
  });

  test('there is no direct conversation with nobody', async () => {
    const { platform, ada } = await start();
    const nobody = `${ada.id.slice(0, -1)}${ada.id.endsWith('9') ? '8' : '9'}`;
    await expectRefusal(platform.directChannel(nobody), 'not_found', 'refused', 'unauthorized');
  });

  test('the channel is described, and one that is not there is null', async () => {
    const { platform, otherChannelId } = await start();
    const { channelId } = platform;
    expect(await platform.channel(channelId)).toMatchObject({ id: channelId, isBotMember: true });
    expect((await platform.channel(channelId))?.visibility).not.toBe('direct');
    const nowhere = `${channelId.slice(0, -1)}${channelId.endsWith('9') ? '8' : '9'}`;
    expect(await platform.channel(nowhere)).toBeNull();
    if (otherChannelId === null) return;
    expect(await platform.channel(otherChannelId)).toMatchObject({
      id: otherChannelId,
      visibility: 'public',
    });
  });

  test('an id of a channel is told by its shape', async () => {
    const { platform } = await start();
    expect(platform.isChannelId(platform.channelId)).toBe(true);
    for (const text of [
      '',
      'a b',
      '../channels',
      `${platform.channelId}/x`,
      `${platform.channelId}\n`,
      '#town',
    ]) {
      expect(platform.isChannelId(text)).toBe(false);
    }
  });

  test('saying that it works never fails', async () => {
    const { platform } = await start();
    await platform.typing(platform.channelId, null);
    await platform.typing('nowhere', null);
  });
}

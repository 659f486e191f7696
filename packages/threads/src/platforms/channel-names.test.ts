import { systemClock } from '@postern/kit';
import { fakeClock } from '@postern/kit/testing';
import { expect, test } from 'vitest';
import { fakePlatform } from '../testing/fake-platform.ts';
import { channelNames } from './channel-names.ts';
import { type ChannelInfo, PlatformError } from './platform.ts';

/** A platform whose answers about its channel a test gives. */
function asking() {
  const platform = fakePlatform();
  const asked: PromiseWithResolvers<ChannelInfo | null>[] = [];
  platform.channel = () => {
    const answer = Promise.withResolvers<ChannelInfo | null>();
    asked.push(answer);
    return answer.promise;
  };
  return { platform, asked };
}

const named = (name: string): ChannelInfo => ({ id: 'main', name, visibility: 'public', isBotMember: true });

test('a name is asked for once, and anew after a while', async () => {
  const clock = fakeClock();
  const { platform, asked } = asking();
  const nameOf = channelNames(clock);
  const both = Promise.all([nameOf(platform), nameOf(platform)]);
  asked[0]?.resolve(named('agents'));
  expect(await both).toEqual(['agents', 'agents']);
  expect(await nameOf(platform)).toBe('agents');
  expect(asked).toHaveLength(1);
  await clock.advance(11 * 60_000);
  const later = nameOf(platform);
  asked[1]?.resolve(named('renamed'));
  expect(await later).toBe('renamed');
});

test('nobody waits for a platform that is slow; its answer is there the next time', async () => {
  const { platform, asked } = asking();
  const nameOf = channelNames(systemClock);
  expect(await nameOf(platform)).toBe(null);
  asked[0]?.resolve(named('agents'));
  await expect.poll(() => nameOf(platform)).toBe('agents');
  expect(asked).toHaveLength(1);
});

test('a platform that is away has no name to tell, and is asked again', async () => {
  const { platform, asked } = asking();
  const nameOf = channelNames(systemClock);
  const away = nameOf(platform);
  asked[0]?.reject(new PlatformError('unavailable', 'away'));
  expect(await away).toBe(null);
  const back = nameOf(platform);
  asked[1]?.resolve(named('agents'));
  expect(await back).toBe('agents');
});

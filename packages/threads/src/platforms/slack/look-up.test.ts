import { systemClock, systemRandom } from '@postern/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeSlack, fakeSlack } from '../../testing/fakes/slack/fake-slack.ts';
import type { LookUp } from '../look-up.ts';
import { slackLookUp } from './look-up.ts';

let slack: FakeSlack;
let lookUp: LookUp;
let channel: string;

beforeEach(async () => {
  slack = await fakeSlack();
  const { botToken, apiUrl } = slack;
  lookUp = slackLookUp({ botToken, apiUrl, clock: systemClock, random: systemRandom });
  channel = slack.addChannel('agents');
});
afterEach(() => slack.stop());

const found = async (text: string) => (await lookUp.channels(text)).map(({ id }) => id);

describe('a channel of Slack', () => {
  test.each([
    ['its name', () => 'agents'],
    ['its name after a sign', () => '#Agents'],
    ['its id', () => channel],
    ['a link to it', () => `${slack.world.teamUrl}archives/${channel}`],
    ['a link to a post in it', () => `${slack.world.teamUrl}archives/${channel}/p1700000000000100`],
    ['a link of the client', () => `https://app.slack.com/client/${slack.world.teamId}/${channel}`],
  ])('is found by %s', async (_what, text) => {
    expect(await found(text())).toEqual([channel]);
  });

  test('is found among more than a page of them, private ones too', async () => {
    for (let index = 0; index < 250; index += 1) slack.addChannel(`channel-${index}`);
    const last = slack.addChannel('vault', { isPrivate: true });
    expect(await found('vault')).toEqual([last]);
  });

  test.each([
    ['the name of one that the bot is not in', () => 'lounge'],
    ['an id that is not there', () => 'C0000000000'],
    ['a link to another site', () => `https://slack.com.example.com/archives/${channel}`],
  ])('is not found by %s', async (_what, text) => {
    slack.addChannel('lounge', { members: [] });
    expect(await found(text())).toEqual([]);
  });
});

test('the bot and people are known by name', async () => {
  const ada = slack.addUser('ada');
  expect(await lookUp.self()).toMatchObject({ id: slack.world.bot.id });
  expect(await lookUp.person('@ada')).toMatchObject({ id: ada });
  expect(await lookUp.person('nobody')).toBeNull();
});

import { systemClock, systemRandom } from '@postern/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeMattermost, startFakeMattermost } from '../../testing/fakes/mattermost/server.ts';
import type { LookUp } from '../look-up.ts';
import { mattermostLookUp } from './look-up.ts';

let server: FakeMattermost;
let lookUp: LookUp;
let link: (rest: string) => string;

beforeEach(async () => {
  server = await startFakeMattermost({ subPath: '/chat' });
  const ports = { clock: systemClock, random: systemRandom };
  lookUp = mattermostLookUp({ url: server.url, token: server.bot.token, ...ports });
  link = (rest) => `${server.url}/${server.model.team.name}/${rest}`;
});
afterEach(() => server.stop());

const found = async (text: string) => (await lookUp.channels(text)).map(({ id }) => id);

describe('a channel of Mattermost', () => {
  test.each([
    ['its name', () => 'agents'],
    ['its name after a sign', () => '~Agents'],
    ['its id', () => server.channel.id],
    ['a link to it', () => link('channels/agents')],
    ['a link with more behind it', () => `${link('channels/agents')}/?view=1`],
  ])('is found by %s', async (_what, text) => {
    expect(await found(text())).toEqual([server.channel.id]);
  });

  test('is found by a link to a post in it', async () => {
    const ada = server.model.addUser('ada');
    server.channel.members.add(ada.id);
    const post = server.model.createPost(ada, { channelId: server.channel.id, message: 'here' });
    expect(await found(link(`pl/${post.id}`))).toEqual([server.channel.id]);
  });

  test('is told with its name and team', async () => {
    expect(await lookUp.channels('agents')).toEqual([
      { id: server.channel.id, name: 'agents', team: server.model.team.name },
    ]);
  });

  test.each([
    ['another server', () => link('channels/agents').replace('127.0.0.1', 'chat.example.com')],
    ['another team', () => `${server.url}/others/channels/agents`],
    ['a post that is not there', () => link('pl/abcdefghijkmnopqrstuwxyz12')],
  ])('is not found by a link to %s', async (_what, text) => {
    expect(await found(text())).toEqual([]);
  });

  test('is not found by its name where it is archived, or the bot is not in it', async () => {
    server.model.addChannel('lounge', 'O', []);
    server.model.addChannel('cellar', 'O', [server.bot.id]).delete_at = 1;
    expect([await found('lounge'), await found('cellar')]).toEqual([[], []]);
  });

  test('shares a name with others', async () => {
    const other = server.model.addChannel('agents', 'P', [server.bot.id]);
    expect(await found('agents')).toEqual([server.channel.id, other.id]);
  });
});

test('the bot and people are known by name', async () => {
  const ada = server.model.addUser('ada');
  expect(await lookUp.self()).toMatchObject({ name: 'postern' });
  expect(await lookUp.person('@Ada')).toMatchObject({ id: ada.id });
  expect(await lookUp.person('nobody')).toBeNull();
});

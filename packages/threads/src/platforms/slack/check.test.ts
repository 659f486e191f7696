import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fakeSlack } from '../../testing/fakes/slack/fake-slack.ts';
import { checkSlack } from './check.ts';
import { BOT_SCOPES } from './scopes.ts';

async function start() {
  const slack = await fakeSlack();
  onTestFinished(() => slack.stop());
  const channelId = slack.addChannel('general');
  const { apiUrl, botToken, appToken } = slack;
  return { slack, channelId, right: { apiUrl, botToken, appToken, channelId } };
}

const failed = async (checks: ReturnType<typeof checkSlack>) =>
  (await checks).filter(({ ok }) => !ok).map(({ name, problem }) => [name, problem]);

test('everything is right', async () => {
  const { right } = await start();
  const checks = await checkSlack(right);
  expect(checks.map(({ name }) => name)).toEqual([
    'app token',
    'bot token',
    'scopes',
    'channel',
    'membership',
  ]);
  expect(checks.every(({ ok }) => ok)).toBe(true);
});

test('tokens that were mixed up are told apart', async () => {
  const { right } = await start();
  const mixed = { ...right, botToken: right.appToken, appToken: right.botToken };
  expect(await failed(checkSlack(mixed))).toEqual([
    ['app token', 'The app token does not begin with xapp-.'],
    ['bot token', 'The bot token does not begin with xoxb-.'],
  ]);
});

test('revoked tokens are named, and not shown', async () => {
  const { slack, right } = await start();
  slack.revokeTokens();
  const checks = await checkSlack(right);
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['app token', false],
    ['bot token', false],
  ]);
  expect(JSON.stringify(checks)).toContain('token_revoked');
  expect(JSON.stringify(checks)).not.toMatch(/fake-bot-token|fake-app-token/);
});

test('scopes that are missing are listed with what they are for', async () => {
  const { slack, right } = await start();
  slack.setScopes(Object.keys(BOT_SCOPES).filter((scope) => !['files:write', 'im:write'].includes(scope)));
  expect(await failed(checkSlack(right))).toEqual([
    ['scopes', 'The bot token lacks files:write (send files), im:write (begin direct conversations).'],
  ]);
});

test('a name instead of an id, and a channel that is not there', async () => {
  const { right } = await start();
  expect(await failed(checkSlack({ ...right, channelId: 'general' }))).toEqual([
    ['channel', 'channelId is no id of a channel.'],
  ]);
  const [found] = await failed(checkSlack({ ...right, channelId: 'C0NOWHERE1' }));
  expect(found?.[0]).toBe('channel');
});

test('a channel that the bot is not in', async () => {
  const { slack, right } = await start();
  const channelId = slack.addChannel('lounge', { members: [] });
  expect(await failed(checkSlack({ ...right, channelId }))).toEqual([
    ['membership', '@postern is not a member of the channel.'],
  ]);
});

test('a Slack that is out of reach is not taken for wrong tokens', async () => {
  const { slack, right } = await start();
  slack.setOffline(true);
  const checks = await checkSlack(right);
  expect(checks[0]?.problem).toContain('could not be reached');
});

test('the manifest asks for exactly these scopes', async () => {
  const manifest = await readFile(
    new URL('../../../../../docs/slack-manifest.yaml', import.meta.url),
    'utf8',
  );
  const scopes = [...manifest.matchAll(/^ {6}- ([a-z]+:[a-z]+)$/gm)].map(([, scope]) => scope);
  expect(scopes).toEqual(Object.keys(BOT_SCOPES));
});

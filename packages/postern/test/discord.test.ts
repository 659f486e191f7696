import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeDiscord } from '@postern/inbox/testing/discord';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, type RunningHub, run, startHub, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 90_000;

interface Listed {
  readonly messages: readonly { readonly id: string; readonly text: string; readonly channel_id: string }[];
}

/** A Discord with one channel and one person, and a folder whose configuration names it. */
async function place() {
  const fake = await fakeDiscord();
  onTestFinished(() => fake.stop());
  const guildId = fake.world.addGuild('Test');
  const general = fake.world.addChannel({ type: 0, guildId, name: 'general' });
  const olga = fake.world.addUser('Olga');
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'postern.yaml'),
    `inbox:\n  connectors:\n    discord: { token: "${fake.token}", apiUrl: "${fake.apiUrl}" }\n`,
  );
  return { fake, general, olga, folder };
}

const discordOf = async (hub: RunningHub) => {
  const { body } = await hub.request('/readyz');
  const services = body.services as {
    inbox: { connectors: Record<string, { status: string; detail?: string }> };
  };
  return services.inbox.connectors.discord;
};

test('a hub takes in Discord, answers there, and comes back from kill -9 with what it missed', {
  timeout: TIMEOUT,
}, async () => {
  const { fake, general, olga, folder } = await place();
  const unread = async (hub: RunningHub, count: number) =>
    eventually(async () => {
      const { body } = await hub.request('/messages/unread', { as: 'agent' });
      const { messages } = body as unknown as Listed;
      return messages.length >= count && messages;
    });
  const hub = await startHub({ folder });
  await hub.request(`/allowlist/discord/${olga.id}`, { method: 'PUT', body: {} });
  await eventually(async () => (await discordOf(hub))?.status === 'ok');
  fake.say(general, olga, 'is anybody there?');
  const [asked] = await unread(hub, 1);
  const answer = { channel_id: asked?.channel_id, text: 'yes', reply_to: asked?.id };
  expect(await hub.request('/messages/send', { as: 'agent', method: 'POST', body: answer })).toMatchObject({
    status: 200,
  });
  expect(general.messages.at(-1)).toMatchObject({ content: 'yes', author: { id: fake.bot.id } });

  hub.child.kill('SIGKILL');
  await hub.ended;
  fake.gateway.forgetSessions();
  fake.say(general, olga, 'still there?');
  const next = await startHub({ folder });
  const messages = await unread(next, 2);
  expect(messages.map(({ text }) => text)).toEqual(['is anybody there?', 'still there?']);
});

test('doctor and /readyz say that the intent is off, and show no token', { timeout: TIMEOUT }, async () => {
  const { fake, folder } = await place();
  fake.faults.disallowedIntents = 1 << 15;
  const { stdout, code } = await run({ args: ['doctor'], folder });
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED {2}discord\.intents: The Message Content intent is off/);
  const hub = await startHub({ folder });
  const { detail } = await eventually(async () => {
    const discord = await discordOf(hub);
    return discord?.status === 'down' && discord;
  });
  expect(detail).toMatch(/Message Content intent is off/);
  expect(`${stdout}${hub.output().stdout}${hub.output().stderr}${detail}`).not.toContain(fake.token);
});

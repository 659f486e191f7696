import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedClaude } from '../../packages/threads/src/testing/fakes/claude/scripted-claude.ts';
import { BOT, Chat } from '../support/chat-person.ts';
import { freshFolder } from '../support/folders.ts';
import { startHub, type TestHub } from '../support/hub.ts';

/** Ten sessions at work at once, and the hub killed under them: nothing is lost, and nothing is done twice. */

const CHANNEL = 'local:agents';
const SESSIONS = 10;
/** The messages that come while a turn is under way. */
const WAITING = ['second', 'third', 'fourth'] as const;
const patience = { timeout: 120_000, interval: 250 };

interface Session {
  readonly thread_id: string;
  readonly state: string;
  readonly queued: number;
}

test('ten sessions whose hub is killed twice answer each message once, and go on', async () => {
  const folder = await freshFolder();
  await mkdir(join(folder, 'work'));
  await writeFile(
    join(folder, 'postern.yaml'),
    `threads:
  workingDir: ./work
  limits: { flushDelayMs: 50, maxSessions: ${SESSIONS} }
  platforms:
    - { id: local, type: local, channelId: '${CHANNEL}', allowedUsers: [olga] }
`,
  );
  const cli = await scriptedClaude();
  const start = () => startHub({ folder, env: { CLAUDE_PATH: cli.path } });
  let hub: TestHub = await start();
  onTestFinished(async () => {
    await hub.stop();
    await cli[Symbol.asyncDispose]();
  });
  const chat = new Chat(() => hub, CHANNEL);
  const olga = chat.person('olga');
  const said = async (root: string) =>
    (await chat.replies(root)).filter(({ user }) => user.id === BOT).map(({ text }) => text);
  const killAndStart = async () => {
    await hub.kill();
    hub = await start();
  };

  // A turn of some seconds each, in which more is written.
  const numbers = Array.from({ length: SESSIONS }, (_, index) => index);
  const roots = await Promise.all(
    numbers.map(async (number) => (await olga.say(`@postern [[stream 40 50]] [[say first-${number}]]`)).id),
  );
  await Promise.all(roots.map((root) => chat.botPost(root, ({ text }) => text.includes('Line 1 of 40'))));
  await Promise.all(roots.map((root, number) => olga.say(`second-${number}.`, root)));
  await killAndStart();
  await Promise.all(roots.map((root, number) => olga.say(`third-${number}.`, root)));
  // Some of the sessions are back, the others are about to be.
  await chat.botPost(roots[0] ?? '', ({ text }) => text.includes('Postern was restarted'));
  await killAndStart();
  await Promise.all(roots.map((root, number) => olga.say(`fourth-${number}.`, root)));

  const unfinished = async () => {
    const { data } = await hub.admin<{ data: Session[] }>('GET', '/threads/api/sessions?state=live');
    return (
      data.filter(({ state, queued }) => state !== 'active' || queued > 0).length + SESSIONS - data.length
    );
  };
  await Promise.all(
    roots.map((root, number) =>
      chat.botPost(root, ({ text }) => text.includes(`You said: fourth-${number}.`)),
    ),
  );
  await expect.poll(unfinished, patience).toBe(0);

  for (const [number, root] of roots.entries()) {
    const texts = await said(root);
    const count = (part: string) => texts.join('\n').split(part).length - 1;
    const cutOff = count('was in the middle of a turn');
    expect(count('Postern was restarted')).toBeGreaterThanOrEqual(1);
    expect(count('Postern was restarted')).toBeLessThanOrEqual(2);
    // A turn that was cut off is gone on with instead of begun again; that may have been cut off once more.
    const goneOn = count('You said: [Note from the bot');
    expect(goneOn).toBeGreaterThanOrEqual(Math.min(1, cutOff));
    // So is a message which is given once more and of which no turn comes in time: the agent may have it already.
    expect(goneOn).toBeLessThanOrEqual(cutOff + WAITING.length);
    const answers = WAITING.map((word) => count(`You said: ${word}-${number}.`));
    expect(answers.filter((times) => times > 1)).toEqual([]);
    expect(answers.filter((times) => times === 0).length).toBeLessThanOrEqual(Math.max(cutOff, goneOn));
    expect(count(`first-${number}`)).toBeLessThanOrEqual(1);
  }
}, 400_000);

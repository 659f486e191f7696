import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  mattermostHarness,
  type PlatformHarness,
  scriptedClaude,
  slackHarness,
} from '@postern/threads/testing';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, type RunningHub, startHub, temporaryFolder } from './hub-process.ts';

interface SeenPost {
  readonly postId: string;
  readonly text: string;
  readonly isBot: boolean;
}

/** A channel of the bot's on one platform, with somebody on its list. */
interface Place {
  readonly id: string;
  /** In a thread, or with a mention as a new one. The post's id. */
  say(text: string, threadId?: string): Promise<string>;
  react(postId: string, emoji: string): Promise<void>;
  /** How many are on a post. */
  reactions(postId: string): Promise<number>;
  /** Oldest first. */
  posts(): Promise<SeenPost[]>;
}

function placeOf(id: string, harness: PlatformHarness): Place {
  const { channelId } = harness.platform;
  return {
    id,
    async say(text, threadId) {
      const where = threadId === undefined ? {} : { threadId };
      return (await harness.say(harness.ada, threadId === undefined ? `{bot} ${text}` : text, where)).postId;
    },
    react: (postId, emoji) => harness.react(harness.ada, { channelId, postId }, emoji),
    reactions: async (postId) => (await harness.serverReactions({ channelId, postId })).length,
    posts: async () =>
      (await harness.posts(channelId)).map(({ postId, text, authorId }) => ({
        ...{ postId, text: harness.readable(text) },
        isBot: authorId === harness.bot.id,
      })),
  };
}

/** The hub's own chat, which people reach through the hub. */
function localPlace(hub: () => RunningHub): Place {
  const user = { id: 'ada', name: 'ada' };
  return {
    id: 'local',
    async say(text, threadId) {
      const body = {
        ...{ channel_id: 'local:agents', user, text: threadId === undefined ? `@postern ${text}` : text },
        ...(threadId === undefined ? {} : { thread_id: threadId }),
      };
      return (await hub().request('/local/api/messages', { method: 'POST', body })).body.id as string;
    },
    async react(postId, emoji) {
      const body = { user_id: user.id, emoji };
      await hub().request(`/local/api/messages/${postId}/reactions`, { method: 'POST', body });
    },
    async reactions(postId) {
      const { body } = await hub().request('/local/api/messages?channel_id=local:agents&limit=200');
      const found = (body.data as { id: string; reactions: unknown[] }[]).find(({ id }) => id === postId);
      return found?.reactions.length ?? 0;
    },
    async posts() {
      const { body } = await hub().request('/local/api/messages?channel_id=local:agents&limit=200');
      const data = body.data as { id: string; text: string; user: { id: string } }[];
      return data.map(({ id, text, user: author }) => ({ postId: id, text, isBot: author.id === 'postern' }));
    },
  };
}

test('kill -9 between question and answer runs nothing anywhere, and what is written meanwhile is answered once', {
  timeout: 180_000,
}, async () => {
  const [mattermost, slack] = [await mattermostHarness(), await slackHarness()];
  const cli = await scriptedClaude();
  onTestFinished(async () => {
    await Promise.all([mattermost.stop(), slack.stop(), cli[Symbol.asyncDispose]()]);
  });
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'work'));
  const remote = [
    { id: 'mattermost', allowedUsers: [mattermost.ada.id], ...mattermost.settings },
    { id: 'slack', allowedUsers: [slack.ada.id], ...slack.settings },
  ];
  const local = { id: 'local', type: 'local', channelId: 'local:agents', allowedUsers: ['ada'] };
  const threads = { workingDir: join(folder, 'work'), platforms: [local, ...remote] };
  // What is JSON is YAML too.
  await writeFile(join(folder, 'postern.yaml'), JSON.stringify({ threads }));
  const begin = async () => {
    const begun = await startHub({ folder, environment: { CLAUDE_PATH: cli.path } });
    await eventually(async () => {
      const { body } = await begun.request('/threads/api/platforms');
      return (body.data as { status: string }[]).every(({ status }) => status === 'ok');
    });
    return begun;
  };
  let hub = await begin();
  const places = [localPlace(() => hub), placeOf('mattermost', mattermost), placeOf('slack', slack)];
  const heard = (place: Place, text: string) =>
    eventually(
      async () => (await place.posts()).findLast((post) => post.isBot && post.text.includes(text)) ?? null,
    );

  const begun = await Promise.all(
    places.map(async (place) => {
      const threadId = await place.say('[[ask Bash {"command":"make trouble"}]] [[say it ran]]');
      const card = await heard(place, 'Permission requested');
      // All of its options hang on it, so that it is on record where it is.
      await eventually(async () => (await place.reactions(card.postId)) === 3);
      return { place, threadId, card };
    }),
  );
  hub.child.kill('SIGKILL');
  await hub.ended;
  // The hub's own chat is away with it.
  for (const { place, threadId, card } of begun.filter(({ place: { id } }) => id !== 'local')) {
    await place.react(card.postId, '+1');
    for (const text of ['two', 'three']) await place.say(text, threadId);
  }

  hub = await begin();
  for (const { place, threadId, card } of begun) {
    const closed = async () => {
      const now = (await place.posts()).find(({ postId }) => postId === card.postId);
      return now?.text.includes('the bot was restarted while this was open') === true;
    };
    await eventually(closed);
    await place.react(card.postId, 'white_check_mark');
    if (place.id === 'local') for (const text of ['two', 'three']) await place.say(text, threadId);
    await heard(place, 'You said: three');
    const texts = (await place.posts()).filter(({ isBot }) => isBot).map(({ text }) => text);
    const all = texts.join('\n');
    expect(all.match(/You said: (?:two|three)/g)).toEqual(['You said: two', 'You said: three']);
    expect(all).not.toContain('it ran');
    const lines = (await hub.request(`/threads/api/audit?platform_id=${place.id}`)).body.data;
    expect(lines).toContainEqual(
      expect.objectContaining({
        action: 'permission',
        details: expect.objectContaining({ reason: 'restarted' }),
      }),
    );
    await eventually(async () => {
      const late = await hub.request(`/threads/api/audit?platform_id=${place.id}&action=reaction_refused`);
      return (late.body.data as { details: { reason: string } }[]).some(
        ({ details }) => details.reason === 'late',
      );
    });
  }
});

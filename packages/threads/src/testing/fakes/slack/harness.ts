import { silentLog } from '@postern/http';
import { systemClock, systemRandom } from '@postern/kit';
import type { Person, PostRef } from '../../../platforms/platform.ts';
import type { Pauses } from '../../../platforms/slack/pauses.ts';
import { type SlackOptions, slackPlatform } from '../../../platforms/slack/slack-platform.ts';
import { type HarnessTraits, MENTION, type PlatformHarness } from '../../platform-harness.ts';
import { type FakeSlack, fakeSlack } from './fake-slack.ts';
import { directChannelWith, type StoredMessage } from './world.ts';

/** Waits that a test can bear. */
const quickPauses: Pauses = {
  firstReconnectMs: 20,
  longestReconnectMs: 100,
  refusedMs: 50,
  helloMs: 10_000,
  handleMs: 10,
};

export const slackTraits: HarnessTraits = {
  faults: ['rateLimit', 'loseAnswerOfNextPost', 'failNextRead', 'repeatNextEvent', 'swapNextEvents'],
  missedPosts: 450,
  manyMembers: 450,
  // Slack takes a gigabyte.
  tooManyBytes: null,
  keyedPosts: true,
};

const METHODS = { post: 'chat.postMessage', readThread: 'conversations.replies' } as const;

/** The platform on a fake Slack, without budgets and with short waits. */
export function slackOn(slack: FakeSlack, channelId: string, options: Partial<SlackOptions> = {}) {
  return slackPlatform({
    id: 'slack',
    botToken: slack.botToken,
    appToken: slack.appToken,
    apiUrl: slack.apiUrl,
    channelId,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    pauses: quickPauses,
    lookAfterMs: 10,
    rateOf: () => null,
    ...options,
  });
}

/** Slack, for the contract suite. */
export async function slackHarness(): Promise<PlatformHarness> {
  const slack = await fakeSlack({ ackTimeoutMs: 500 });
  const { world, sockets } = slack;
  const person = (name: string): Person => ({ id: slack.addUser(name), name, isBot: false });
  const ada = person('ada');
  const ben = person('ben');
  const outsider = person('oscar');
  const bot: Person = { id: world.bot.id, name: world.bot.name, isBot: true };
  const channelId = slack.addChannel('general', { members: [bot.id, ada.id, ben.id] });
  const otherChannelId = slack.addChannel('lounge', { members: [bot.id, ada.id] });
  const platform = slackOn(slack, channelId);
  await platform.self();

  const stored = (ref: PostRef): StoredMessage => {
    const message = world.find(ref.channelId, ref.postId);
    if (message === null) throw new Error(`there is no ${ref.postId}`);
    return message;
  };
  const mention = (_: string, name: string) => {
    const known = [...world.users.values()].find((user) => user.name === name);
    return `<@${name === 'bot' ? bot.id : known?.id}>`;
  };
  const refOf = ({ channel, ts }: StoredMessage): PostRef => ({ channelId: channel, postId: ts });
  const shown = ({ subtype }: StoredMessage) => subtype !== 'tombstone';

  return {
    platform,
    settings: {
      type: 'slack',
      botToken: slack.botToken,
      appToken: slack.appToken,
      apiUrl: slack.apiUrl,
      channelId,
    },
    bot,
    ada,
    ben,
    outsider,
    otherChannelId,
    async say({ id }, text, { channelId: channel = channelId, threadId, files = [] } = {}) {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      const options = { files, ...(threadId === undefined ? {} : { threadTs: threadId }) };
      return refOf(slack.say(id, channel, escaped.replaceAll(MENTION, mention), options));
    },
    openDirect: async ({ id }) => directChannelWith(world, id).id,
    edit: async (_person, ref, text) => slack.edit(stored(ref), text),
    delete: async (_person, ref) => slack.delete(stored(ref)),
    react: async ({ id }, ref, emoji) => slack.react(id, stored(ref), emoji),
    unreact: async ({ id }, ref, emoji) => slack.unreact(id, stored(ref), emoji),
    async addMembers(count) {
      const members = world.channels.get(channelId)?.members;
      for (let index = 0; index < count; index += 1) members?.add(slack.addUser(`member${index}`));
    },
    async addPerson(name) {
      const added = person(name);
      world.channels.get(channelId)?.members.add(added.id);
      return added;
    },
    join: async ({ id }) => void world.channels.get(channelId)?.members.add(id),
    async serverText({ channelId: channel, postId }) {
      const message = world.find(channel, postId);
      return message === null || !shown(message) ? null : message.text;
    },
    posts: async (channel) =>
      (world.messages.get(channel) ?? []).filter(shown).map((message) => ({
        ...refOf(message),
        ...{ threadId: message.threadTs ?? message.ts, authorId: message.user ?? '', text: message.text },
      })),
    serverReactions: async (ref) =>
      [...stored(ref).reactions].flatMap(([emoji, users]) => users.map((personId) => ({ emoji, personId }))),
    serverFiles: async (ref) =>
      stored(ref).files.map(({ name, mime, bytes }) => ({ name, mime, bytes: bytes ?? new Uint8Array() })),
    readable: (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    ringsForAll: (text) => /<!(?:channel|here|everyone|subteam)|@(?:channel|here|everyone)\b/.test(text),
    withSkinTone: (emoji) => `${emoji}::skin-tone-3`,
    links: {
      variants: (permalink) => [
        `${permalink}/`,
        `${permalink}?thread_ts=1700000000.000100&cid=${channelId}`,
        `<${permalink}?a=1&amp;b=2|a post>`,
        `<${permalink}>`,
        permalink.replace(`${world.teamUrl}archives`, `https://app.slack.com/client/${world.teamId}`),
      ],
      foreign: (permalink) => [
        permalink.replace('postern-test', 'evil'),
        permalink.replace('.slack.com', '.slack.com.example.com'),
        permalink.replace('https://', 'https://someone@'),
        permalink.replace('.slack.com/', '.slack.com:444/'),
        permalink.replace('https:', 'http:'),
        permalink.replace('archives', 'files'),
        permalink.replace('/archives/', '/x/archives/'),
        permalink.replace(`${world.teamUrl}archives`, 'https://app.slack.com/client/T0OTHER001'),
        permalink.slice(0, -3),
        'a post',
        '',
      ],
    },
    async again() {
      const next = slackOn(slack, channelId);
      await next.self();
      return next;
    },
    dropConnections: async () => sockets.drop(),
    goOffline: async () => slack.setOffline(true),
    goOnline: async () => slack.setOffline(false),
    faults: {
      rateLimit: {
        next: (call) => slack.failNext(METHODS[call], { kind: 'rateLimited', retryAfterS: 1 }),
        early: slack.early,
      },
      loseAnswerOfNextPost: () => slack.failNext(METHODS.post, { kind: 'answerLost' }),
      failNextRead: () => slack.failNext(METHODS.readThread, { kind: 'status', status: 502 }),
      repeatNextEvent: sockets.repeatNext,
      swapNextEvents: sockets.swapNext,
    },
    stop: slack.stop,
  };
}

import { silentLog } from '@postern/http';
import { systemClock, systemRandom } from '@postern/kit';
import type { Pauses } from '../../../platforms/mattermost/connection.ts';
import { mattermostPlatform } from '../../../platforms/mattermost/mattermost.ts';
import type { Person } from '../../../platforms/platform.ts';
import { type HarnessTraits, MENTION, type PlatformHarness } from '../../platform-harness.ts';
import type { FakePost, FakeUser } from './model.ts';
import { type FakeMattermost, startFakeMattermost } from './server.ts';

/** Waits that a test can bear. */
export const quickPauses: Pauses = {
  firstReconnectMs: 20,
  longestReconnectMs: 100,
  refusedMs: 50,
  heartbeatMs: 30_000,
  helloMs: 10_000,
  orderMs: 100,
};

const LARGEST_FILE = 1_048_576;

export const mattermostTraits: HarnessTraits = {
  faults: ['rateLimit', 'loseAnswerOfNextPost', 'failNextRead', 'repeatNextEvent', 'swapNextEvents'],
  missedPosts: 450,
  manyMembers: 450,
  tooManyBytes: LARGEST_FILE + 1,
};

/** Mattermost below a sub-path, for the contract suite. */
export async function mattermostHarness(): Promise<PlatformHarness> {
  const server = await startFakeMattermost({ subPath: '/chat' });
  const { model, hub, bot, channel } = server;
  model.settings.maxFileSize = LARGEST_FILE;
  const ada = model.addUser('ada');
  const ben = model.addUser('ben');
  const outsider = model.addUser('oscar');
  channel.members.add(ada.id).add(ben.id);
  const other = model.addChannel('lounge', 'O', [bot.id, ada.id]);
  const user = ({ id }: Person): FakeUser => {
    const found = model.users.get(id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  };
  const refOf = ({ channel_id, id }: FakePost) => ({ channelId: channel_id, postId: id });
  const connect = () => platformOn(server);

  return {
    platform: connect(),
    settings: { type: 'mattermost', url: server.url, token: bot.token, channelId: channel.id },
    bot: personOf(bot),
    ada: personOf(ada),
    ben: personOf(ben),
    outsider: personOf(outsider),
    otherChannelId: other.id,
    async say(person, text, where = {}) {
      const fileIds = (where.files ?? []).map(
        ({ name, mime, bytes }) => model.addFile(user(person), name, mime, Buffer.from(bytes)).id,
      );
      const post = model.createPost(user(person), {
        channelId: where.channelId ?? channel.id,
        message: text.replaceAll(MENTION, (_, name) => `@${name === 'bot' ? bot.username : name}`),
        rootId: where.threadId ?? '',
        fileIds,
      });
      return refOf(post);
    },
    openDirect: async ({ id }) => model.directChannel(id, bot.id).id,
    async edit(person, ref, text) {
      model.editPost(user(person), ref.postId, text);
    },
    async delete(person, ref) {
      model.deletePost(user(person), ref.postId);
    },
    async react(person, ref, emoji) {
      model.react(user(person), ref.postId, emoji);
    },
    async unreact(person, ref, emoji) {
      model.unreact(user(person), ref.postId, emoji);
    },
    async addMembers(count) {
      for (let index = 0; index < count; index += 1) {
        channel.members.add(model.addUser(`member${index}`).id);
      }
    },
    async addPerson(name) {
      const added = model.addUser(name);
      channel.members.add(added.id);
      return personOf(added);
    },
    async join(person) {
      channel.members.add(person.id);
    },
    async serverText({ postId }) {
      const post = model.posts.get(postId);
      return post === undefined || post.delete_at > 0 ? null : post.message;
    },
    async posts(channelId) {
      const posts = model.listPosts((post) => post.channel_id === channelId);
      return posts.reverse().map((post) => ({
        ...refOf(post),
        ...{
          threadId: post.root_id === '' ? post.id : post.root_id,
          authorId: post.user_id,
          text: post.message,
        },
      }));
    },
    async serverReactions({ postId }) {
      return model.reactions
        .filter(({ post_id }) => post_id === postId)
        .map(({ emoji_name, user_id }) => ({ emoji: emoji_name, personId: user_id }));
    },
    async serverFiles({ postId }) {
      return (model.posts.get(postId)?.file_ids ?? []).flatMap((id) => {
        const file = model.files.get(id);
        return file === undefined ? [] : [{ name: file.name, mime: file.mime_type, bytes: file.bytes }];
      });
    },
    readable: (text) => text,
    ringsForAll: (text) => /(?<![\p{L}\p{N}_.+-])@(?:all|channel|here)(?![\p{L}\p{N}_])/iu.test(text),
    withSkinTone: (emoji) => `${emoji}_medium_light_skin_tone`,
    links: {
      variants: (permalink) => [
        `${permalink}/`,
        `${permalink}?view=thread#here`,
        permalink.replace(`/${model.team.name}/`, '/_redirect/'),
        `<${permalink}|a post>`,
      ],
      foreign: (permalink) => [
        permalink.replace('127.0.0.1', 'chat.example.com'),
        permalink.replace('127.0.0.1', '127.0.0.1.example.com'),
        permalink.replace('127.0.0.1', 'user@127.0.0.1'),
        permalink.replace(/:(\d+)\//, ':1/'),
        permalink.replace('/chat/', '/'),
        permalink.replace('/chat/', '/chat2/'),
        permalink.replace('/chat/', '/chat/../'),
        permalink.replace('/pl/', '/messages/'),
        permalink.slice(0, -1),
        'a post',
        '',
      ],
    },
    again: async () => connect(),
    async dropConnections() {
      hub.drop();
    },
    async goOffline() {
      hub.refuse(true);
      hub.drop();
    },
    async goOnline() {
      hub.refuse(false);
    },
    faults: {
      rateLimit: {
        next: (call) => server.fail(call, { kind: 'limited', seconds: 1, header: 'retry-after' }),
        early: () => server.early,
      },
      loseAnswerOfNextPost: () => server.fail('post', { kind: 'lost-answer' }),
      failNextRead: () => server.fail('readThread', { kind: 'status', status: 502 }),
      repeatNextEvent: hub.repeatNext,
      swapNextEvents: hub.swapNext,
    },
    stop: server.stop,
  };
}

/** The bot of a fake server, as a process of its own would have it. */
export function platformOn(
  { url, bot, channel }: FakeMattermost,
  options: { pauses?: Partial<Pauses>; deadlineMs?: number } = {},
) {
  return mattermostPlatform({
    id: 'mattermost',
    url,
    token: bot.token,
    channelId: channel.id,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
    pauses: { ...quickPauses, ...options.pauses },
  });
}

function personOf({ id, username, is_bot }: FakeUser): Person {
  return { id, name: username, isBot: is_bot };
}

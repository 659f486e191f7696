import type { Engine } from '@postern/store';
import type { Person } from '../../../platforms/platform.ts';
import { type HarnessTraits, MENTION, type PlatformHarness } from '../../platform-harness.ts';
import { BOT_NAME, CHANNEL, localBench, PUBLIC_URL } from './bench.ts';

export const localTraits: HarnessTraits = {
  // Nothing lies between the platform and the chat that could limit, lose, repeat or swap.
  faults: [],
  missedPosts: 220,
  manyMembers: 20,
  tooManyBytes: 25 * 1_048_576 + 1,
  keyedPosts: true,
};

/** The embedded chat on a database of its own, for the contract suite. */
export async function localHarness(engine: Engine): Promise<PlatformHarness> {
  const { chat, connect, line } = await localBench(engine);
  const person = (id: string): Person => ({ id, name: id, isBot: false });
  const [ada, ben, outsider] = [person('ada'), person('ben'), person('oscar')];
  const userOf = ({ id, name }: Person) => ({ id, name });
  for (const member of [ada, ben]) await chat.join(CHANNEL, userOf(member));
  const { channel: other } = await chat.openChannel({
    name: 'lounge',
    type: 'group',
    members: [userOf(ada), { id: BOT_NAME, name: BOT_NAME }],
  });
  await chat.openChannel({ name: 'elsewhere', type: 'group', members: [userOf(outsider)] });

  const platform = connect();
  await chat.join(CHANNEL, { id: BOT_NAME, name: BOT_NAME });

  return {
    platform,
    settings: null,
    bot: { id: BOT_NAME, name: BOT_NAME, isBot: true },
    ada,
    ben,
    outsider,
    otherChannelId: other.id,
    async say(author, text, where = {}) {
      const message = await chat.post({
        channelId: where.channelId ?? CHANNEL,
        user: userOf(author),
        text: text.replaceAll(MENTION, (_, name) => `@${name === 'bot' ? BOT_NAME : name}`),
        threadId: where.threadId ?? null,
        attachments: (where.files ?? []).map(({ name, mime, bytes }) => ({
          name,
          mime,
          open: async () => oneChunk(bytes),
        })),
      });
      return { channelId: message.channel_id, postId: message.id };
    },
    openDirect: async (author) => (await chat.openDirect(userOf(author))).id,
    async edit(author, { postId }, text) {
      await chat.edit({ messageId: postId, userId: author.id, text });
    },
    async delete(author, { postId }) {
      await chat.remove({ messageId: postId, userId: author.id });
    },
    async react(author, { postId }, emoji) {
      await chat.react({ messageId: postId, userId: author.id, emoji });
    },
    async unreact(author, { postId }, emoji) {
      await chat.unreact({ messageId: postId, userId: author.id, emoji });
    },
    async addMembers(count) {
      for (let index = 0; index < count; index += 1) {
        await chat.join(CHANNEL, { id: `member${index}`, name: `member${index}` });
      }
    },
    async addPerson(name) {
      const added = person(name);
      await chat.join(CHANNEL, userOf(added));
      return added;
    },
    join: (member) => chat.join(CHANNEL, userOf(member)),
    async serverText({ postId }) {
      const message = await chat.message(postId);
      return message === null || message.deleted_at !== null ? null : message.text;
    },
    async posts(channelId) {
      const messages = await chat.messages({ channelId, limit: 10_000 });
      return messages
        .filter(({ deleted_at }) => deleted_at === null)
        .map(({ id, thread_id, user, text }) => ({
          ...{ channelId, postId: id, threadId: thread_id ?? id },
          ...{ authorId: user.id, text },
        }));
    },
    async serverReactions({ postId }) {
      const message = await chat.message(postId);
      return (message?.reactions ?? []).flatMap(({ emoji, user_ids }) =>
        user_ids.map((personId) => ({ emoji, personId })),
      );
    },
    async serverFiles({ postId }) {
      const files = [];
      for (const { id, name, mime } of (await chat.message(postId))?.attachments ?? []) {
        const file = await chat.readAttachment(id);
        const chunks: Uint8Array[] = [];
        for await (const chunk of (await file?.open()) ?? []) chunks.push(chunk);
        files.push({ name, mime, bytes: Buffer.concat(chunks) });
      }
      return files;
    },
    readable: (text) => text,
    // The chat itself rings for nobody; what is written has to be harmless all the same, where it is copied to.
    ringsForAll: (text) => /@(?:all|channel|here|everyone)\b|<!/.test(text),
    withSkinTone: (emoji) => `${emoji}::skin-tone-3`,
    links: {
      variants: (permalink) => [
        `${permalink}/`,
        `${permalink}?view=thread#here`,
        `<${permalink}>`,
        `<${permalink}|a post>`,
      ],
      foreign: (permalink) => [
        permalink.replace('hub.example.com', 'hub.example.net'),
        permalink.replace('hub.example.com', 'hub.example.com.example.net'),
        permalink.replace('hub.example.com', 'user@hub.example.com'),
        permalink.replace('hub.example.com', 'hub.example.com:8443'),
        permalink.replace('https:', 'http:'),
        permalink.replace('/postern/', '/'),
        permalink.replace('/postern/', '/postern2/'),
        permalink.replace('/chat/', '/console/'),
        permalink.replace('/bots/', '/bots/more/'),
        permalink.replace('/bots/', '/bo ts/'),
        PUBLIC_URL,
        'a post',
        '',
      ],
    },
    again: async () => connect(),
    dropConnections: line.drop,
    goOffline: line.cut,
    goOnline: line.mend,
    faults: {},
    async stop() {
      await line.mend();
      await chat.stop();
    },
  };
}

async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

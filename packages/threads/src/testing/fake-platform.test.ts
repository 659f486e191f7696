import { BOT, fakePlatform } from './fake-platform.ts';
import { describePlatform } from './platform-contract.ts';
import { MENTION, type PlatformHarness } from './platform-harness.ts';

async function fakeHarness(): Promise<PlatformHarness> {
  const platform = fakePlatform();
  const [ada, ben, outsider] = ['ada', 'ben', 'oscar'].map((name) => ({
    id: `u-${name}`,
    name,
    isBot: false,
  }));
  for (const member of [ada!, ben!]) platform.addPerson(member);
  platform.addPerson(outsider!, false);
  const { channelId } = platform;
  platform.addChannel({ id: 'lounge', name: 'lounge', visibility: 'public', isBotMember: true });
  const runs: AbortController[] = [];
  let isOffline = false;
  // One platform stands for all its processes; the wire between is what breaks, and comes back by itself.
  const connect = () => ({
    ...platform,
    async run(feed: Parameters<typeof platform.run>[0], signal: AbortSignal) {
      while (!signal.aborted) {
        if (isOffline) {
          await new Promise((resolve) => setTimeout(resolve, 2));
          continue;
        }
        const dropping = new AbortController();
        runs.push(dropping);
        await platform.run(feed, AbortSignal.any([signal, dropping.signal]));
      }
    },
  });
  const drop = async () => {
    for (const dropping of runs.splice(0)) dropping.abort();
    platform.hangUp();
  };
  return {
    platform: connect(),
    settings: null,
    bot: BOT,
    ada: ada!,
    ben: ben!,
    outsider: outsider!,
    otherChannelId: 'lounge',
    async say(person, text, where = {}) {
      const post = await platform.say(
        person,
        text.replaceAll(MENTION, (_, name) => `@${name === 'bot' ? BOT.name : name}`),
        {
          ...where,
          files: [...(where.files ?? [])],
        },
      );
      return { channelId: post.channelId, postId: post.postId };
    },
    openDirect: ({ id }) => platform.directChannel(id),
    edit: platform.editAs,
    delete: platform.deleteAs,
    react: platform.reactAs,
    unreact: platform.unreactAs,
    async addMembers(count) {
      for (let index = 0; index < count; index += 1) {
        platform.addPerson({ id: `m${index}`, name: `member${index}`, isBot: false });
      }
    },
    async addPerson(name) {
      const person = { id: `u-${name}`, name, isBot: false };
      platform.addPerson(person);
      return person;
    },
    join: async (person) => platform.addPerson(person),
    serverText: async ({ postId }) => platform.posts.find((post) => post.postId === postId)?.text ?? null,
    posts: async (channel) =>
      platform.posts
        .filter((post) => post.channelId === channel)
        .map(({ author, ...post }) => ({ ...post, authorId: author.id })),
    serverReactions: async ({ postId }) => platform.reactionsOn.get(postId) ?? [],
    async serverFiles({ postId }) {
      const upload = platform.uploads.get(postId);
      return upload === undefined ? [] : [{ ...upload, mime: 'application/octet-stream' }];
    },
    readable: (text) => text,
    ringsForAll: (text) => /@(?:all|channel|here|everyone)\b|<!/.test(text),
    withSkinTone: (emoji) => `${emoji}_dark_skin_tone`,
    links: {
      variants: (link) => [`${link}/`, `${link}?a=b#c`, `<${link}>`, `<${link}|a post>`],
      foreign: (link) => [
        link.replace('fake:', 'fake2:'),
        link.replace('fake:', 'https:'),
        link.replace(channelId, `${channelId}/more`),
        `${link}x`,
        'a post',
        '',
      ],
    },
    again: async () => connect(),
    dropConnections: drop,
    async goOffline() {
      isOffline = true;
      await drop();
    },
    async goOnline() {
      isOffline = false;
    },
    faults: {},
    stop: drop,
  };
}

describePlatform('in memory', fakeHarness, {
  faults: [],
  missedPosts: 50,
  manyMembers: 50,
  tooManyBytes: null,
  keyedPosts: true,
});

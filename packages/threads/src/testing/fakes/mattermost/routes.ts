import { Denied, type FakeModel, type FakePost, type FakeUser, fileInfo, forbidden } from './model.ts';

/** A request of REST v4, its path below `/api/v4`. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string | undefined;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface FakeAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly bytes?: Buffer;
}

type Handler = (call: {
  readonly model: FakeModel;
  readonly user: FakeUser;
  readonly request: FakeRequest;
  readonly parts: readonly string[];
  json(): Record<string, unknown>;
}) => FakeAnswer;

interface Route {
  /** What a fault is aimed at. */
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly handle: Handler;
}

const ID = '([a-z0-9]{26})';
const ok = (json: unknown, status = 200): FakeAnswer => ({ status, json });
const done = ok({ status: 'OK' });

function route(name: string, method: string, path: string, handle: Handler): Route {
  return { name, method, pattern: new RegExp(`^${path.replaceAll('{id}', ID)}$`), handle };
}

const routes: readonly Route[] = [
  route('readUser', 'GET', '/users/(me|[a-z0-9]{26})', ({ model, user, parts: [id = ''] }) => {
    const found = id === 'me' ? user : model.users.get(id);
    if (found === undefined)
      throw new Denied(404, 'app.user.missing_account.const', 'Unable to find the user.');
    return ok(publicUser(found));
  }),
  route('readUser', 'GET', '/users/username/([^/]+)', ({ model, parts: [name] }) => {
    const found = [...model.users.values()].find(({ username }) => username === name);
    if (found === undefined)
      throw new Denied(404, 'app.user.missing_account.const', 'Unable to find the user.');
    return ok(publicUser(found));
  }),
  route('readTeams', 'GET', '/users/me/teams', ({ model }) => ok([model.team])),
  route('readChannels', 'GET', '/users/me/channels', ({ model, user }) =>
    ok([...model.channels.values()].filter(({ members }) => members.has(user.id)).map(publicChannel)),
  ),
  route('readTeam', 'GET', '/teams/{id}', ({ model, parts: [id] }) => {
    if (id !== model.team.id) throw forbidden();
    return ok(model.team);
  }),
  route('readConfig', 'GET', '/config/client', ({ model: { settings } }) =>
    ok({
      Version: '10.11.0',
      MaxPostSize: String(settings.maxPostSize),
      MaxFileSize: String(settings.maxFileSize),
      PostEditTimeLimit: String(settings.postEditTimeLimit),
    }),
  ),
  route('readChannel', 'GET', '/channels/{id}', ({ model, user, parts: [id = ''] }) =>
    ok(publicChannel(model.readableChannel(user, id))),
  ),
  route('openDirect', 'POST', '/channels/direct', ({ model, user, request }) => {
    const [one = '', other = ''] = JSON.parse(request.body.toString()) as string[];
    if (one !== user.id && other !== user.id) throw forbidden();
    return ok(publicChannel(model.directChannel(one, other)), 201);
  }),
  route('readMembers', 'GET', '/channels/{id}/members', ({ model, user, request, parts: [id = ''] }) => {
    const members = [...model.readableChannel(user, id).members];
    const { from, size } = pageOf(model, request.query);
    return ok(
      members.slice(from, from + size).map((user_id) => ({ channel_id: id, user_id, roles: 'channel_user' })),
    );
  }),
  route(
    'readMember',
    'GET',
    '/channels/{id}/members/{id}',
    ({ model, user, parts: [id = '', memberId = ''] }) => {
      if (!model.readableChannel(user, id).members.has(memberId)) {
        throw new Denied(
          404,
          'app.channel.get_member.missing.app_error',
          'No channel member found for that user ID and channel ID.',
        );
      }
      return ok({ channel_id: id, user_id: memberId, roles: 'channel_user' });
    },
  ),
  route('readChannelPosts', 'GET', '/channels/{id}/posts', ({ model, user, request, parts: [id = ''] }) => {
    model.readableChannel(user, id);
    const all = model.listPosts((post) => post.channel_id === id);
    const { from, size } = pageOf(model, request.query);
    const before = model.posts.get(request.query.get('before') ?? '')?.create_at;
    const after = model.posts.get(request.query.get('after') ?? '')?.create_at;
    if (before !== undefined) {
      return ok(postList(all.filter((post) => post.create_at < before).slice(from, from + size)));
    }
    if (after !== undefined) {
      const younger = all.filter((post) => post.create_at > after).reverse();
      return ok(postList(younger.slice(from, from + size).reverse()));
    }
    return ok(postList(all.slice(from, from + size)));
  }),
  route('post', 'POST', '/posts', ({ model, user, json }) => {
    const given = json();
    const post = model.createPost(user, {
      channelId: String(given.channel_id),
      message: String(given.message ?? ''),
      rootId: String(given.root_id ?? ''),
      fileIds: (given.file_ids ?? []) as string[],
      props: (given.props ?? {}) as Record<string, unknown>,
      pendingPostId: String(given.pending_post_id ?? ''),
    });
    return ok({ ...post, pending_post_id: given.pending_post_id ?? '' }, 201);
  }),
  route('readPost', 'GET', '/posts/{id}', ({ model, user, parts: [id = ''] }) => {
    const post = model.post(id);
    model.readableChannel(user, post.channel_id);
    return ok(post);
  }),
  route('edit', 'PUT', '/posts/{id}(?:/patch)?', ({ model, user, json, parts: [id = ''] }) =>
    ok(model.editPost(user, id, String(json().message))),
  ),
  route('delete', 'DELETE', '/posts/{id}', ({ model, user, parts: [id = ''] }) => {
    model.deletePost(user, id);
    return done;
  }),
  route('readThread', 'GET', '/posts/{id}/thread', ({ model, user, request, parts: [id = ''] }) => {
    const post = model.post(id);
    model.readableChannel(user, post.channel_id);
    return ok(threadPage(model, post.root_id || post.id, request.query));
  }),
  route('readReactions', 'GET', '/posts/{id}/reactions', ({ model, user, parts: [id = ''] }) => {
    const post = model.post(id);
    model.readableChannel(user, post.channel_id);
    const found = model.reactions.filter(({ post_id }) => post_id === id);
    return ok(found.length === 0 ? null : found);
  }),
  route('readFiles', 'GET', '/posts/{id}/files/info', ({ model, user, parts: [id = ''] }) => {
    const post = model.post(id);
    model.readableChannel(user, post.channel_id);
    return ok(post.metadata.files);
  }),
  route('pin', 'POST', '/posts/{id}/pin', ({ model, user, parts: [id = ''] }) => {
    const post = model.post(id);
    model.readableChannel(user, post.channel_id);
    model.pinned.add(id);
    return done;
  }),
  route('react', 'POST', '/reactions', ({ model, user, json }) => {
    const { user_id, post_id, emoji_name } = json();
    if (user_id !== user.id) throw forbidden();
    return ok(model.react(user, String(post_id), String(emoji_name)), 201);
  }),
  route('unreact', 'DELETE', '/users/{id}/posts/{id}/reactions/([^/]+)', ({ model, user, parts }) => {
    const [userId, postId = '', emoji = ''] = parts;
    if (userId !== user.id) throw forbidden();
    model.unreact(user, postId, emoji);
    return done;
  }),
  route('search', 'POST', '/teams/{id}/posts/search', ({ model, user, json, parts: [teamId] }) => {
    if (teamId !== model.team.id) throw forbidden();
    return ok(postList(found(model, user, String(json().terms ?? ''))));
  }),
  route('upload', 'POST', '/files', ({ model, user, request }) => {
    const channelId = request.query.get('channel_id') ?? '';
    if (!model.channel(channelId).members.has(user.id)) throw forbidden();
    const { name, mime, bytes } = uploaded(request);
    return ok({ file_infos: [fileInfo(model.addFile(user, name, mime, bytes))], client_ids: [] }, 201);
  }),
  route('download', 'GET', '/files/{id}', ({ model, parts: [id = ''] }) => {
    const file = model.files.get(id);
    if (file === undefined)
      throw new Denied(404, 'app.file_info.get.app_error', 'Unable to get the file info.');
    return { status: 200, bytes: file.bytes };
  }),
];

/** The name of what a request asks for; `'ping'` needs no token; null is a route that does not exist. */
export function routeOf(request: FakeRequest): { name: string; answer(model: FakeModel): FakeAnswer } | null {
  if (request.method === 'GET' && request.path === '/system/ping')
    return { name: 'ping', answer: () => done };
  for (const { name, method, pattern, handle } of routes) {
    const match = method === request.method ? pattern.exec(request.path) : null;
    if (match === null) continue;
    const parts = match.slice(1).map(decodeURIComponent);
    const json = () => JSON.parse(request.body.toString()) as Record<string, unknown>;
    return {
      name,
      answer: (model) => handle({ model, user: model.userOf(request.token), request, parts, json }),
    };
  }
  return null;
}

function publicUser({ id, username, is_bot, delete_at }: FakeUser): object {
  return { id, username, delete_at, ...(is_bot ? { is_bot } : {}), first_name: '', last_name: '' };
}

function publicChannel({ members: _members, ...channel }: { members: Set<string> }): object {
  return channel;
}

function pageOf(model: FakeModel, query: URLSearchParams): { from: number; size: number } {
  const size = Math.min(Number(query.get('per_page') ?? 60), model.settings.pageSize);
  return { from: Number(query.get('page') ?? 0) * size, size };
}

function postList(posts: readonly FakePost[]): object {
  return {
    order: posts.map(({ id }) => id),
    posts: Object.fromEntries(posts.map((post) => [post.id, post])),
    next_post_id: '',
    prev_post_id: '',
  };
}

/** Pages from the root with `direction=down`, from the end with `up`; the root is on every page. */
function threadPage(model: FakeModel, rootId: string, query: URLSearchParams): object {
  const perPage = Math.min(Number(query.get('perPage') ?? 0), model.settings.pageSize);
  const fromMs = Number(query.get('fromCreateAt') ?? 0);
  const fromId = query.get('fromPost') ?? '';
  if (fromId !== '' && fromMs === 0) throw new Denied(400, 'api.context.invalid_body_param.app_error');
  const isDown = query.get('direction') === 'down';
  const newestFirst = model.listPosts((post) => post.root_id === rootId);
  const replies = (isDown ? newestFirst.reverse() : newestFirst).filter((post) => {
    if (fromMs === 0) return true;
    if (post.create_at === fromMs && fromId !== '') return isDown ? post.id > fromId : post.id < fromId;
    return isDown ? post.create_at > fromMs : post.create_at < fromMs;
  });
  const page = perPage > 0 ? replies.slice(0, perPage) : replies;
  return { ...postList([model.post(rootId), ...page]), has_next: page.length < replies.length };
}

function found(model: FakeModel, user: FakeUser, terms: string): FakePost[] {
  const from = /(?:^|\s)from:@?(\S+)/.exec(terms)?.[1];
  const words = [...terms.replace(/(?:^|\s)from:\S+/g, ' ').matchAll(/"([^"]+)"|(\S+)/g)].map(
    ([, phrase, word]) => (phrase ?? word ?? '').toLowerCase(),
  );
  return model.listPosts((post) => {
    const channel = model.channel(post.channel_id);
    const author = model.users.get(post.user_id)?.username;
    return (
      channel.members.has(user.id) &&
      (from === undefined || author === from) &&
      words.every((word) => post.message.toLowerCase().includes(word))
    );
  });
}

/** The one file of a multipart form. */
function uploaded({ contentType, body }: FakeRequest): { name: string; mime: string; bytes: Buffer } {
  const boundary = /boundary=(\S+)/.exec(contentType)?.[1] ?? '';
  const text = body.toString('latin1');
  for (const part of text.split(`--${boundary}\r\n`).slice(1)) {
    const end = part.indexOf('\r\n\r\n');
    const name = /filename="([^"]*)"/.exec(part.slice(0, end))?.[1];
    if (name === undefined) continue;
    const mime = /Content-Type: (\S+)/.exec(part.slice(0, end))?.[1] ?? '';
    const content = part.slice(end + 4).replace(new RegExp(`\\r\\n(?:--${boundary}--\\r\\n)?$`), '');
    return {
      name: Buffer.from(decodeURIComponent(name), 'latin1').toString('utf8'),
      mime,
      bytes: Buffer.from(content, 'latin1'),
    };
  }
  throw new Denied(400, 'api.file.upload_file.read_request.app_error');
}

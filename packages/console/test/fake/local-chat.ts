import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { asRecord } from '../../src/api/http.ts';
import type { ChannelType, LocalChannel, LocalMessage, Person, Reaction } from '../../src/api/local.ts';
import { type FakeRequest, type FakeRoute, idMaker, ok, Refusal, route, textField } from './http.ts';

/** The local chat in memory, as the process contract describes its routes. */

interface LogEntry {
  readonly id: number;
  readonly type: string;
  readonly data: unknown;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface NewFakeMessage {
  readonly channel: string;
  readonly user: Person;
  readonly text: string;
  readonly threadId?: string | null;
  readonly replyTo?: string | null;
  readonly at?: Date;
  readonly attachments?: readonly {
    readonly name: string;
    readonly mime: string;
    readonly bytes: Uint8Array;
  }[];
  readonly reactions?: readonly Reaction[];
}

export function createFakeChat(publicUrl: () => string) {
  const channels = new Map<string, Mutable<LocalChannel>>();
  const messages: Mutable<LocalMessage>[] = [];
  /** Posted messages by the key they came with. */
  const keyed = new Map<string, string>();
  const files = new Map<string, { readonly mime: string; readonly bytes: Uint8Array }>();
  const log: LogEntry[] = [];
  const streams = new Set<ServerResponse>();
  /** What each stream asked to be resumed after. */
  const resumedAfter: (string | null)[] = [];
  const newId = idMaker();
  /** Events are neither sent nor streams accepted while the line is cut. */
  let cut = false;

  function write(stream: ServerResponse, entry: LogEntry): void {
    stream.write(`id: ${entry.id}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry.data)}\n\n`);
  }

  function record(type: string, data: unknown): void {
    const entry = { id: log.length + 1, type, data: structuredClone(data) };
    log.push(entry);
    for (const stream of streams) write(stream, entry);
  }

  function channelOf(id: string): Mutable<LocalChannel> {
    const channel = channels.get(id);
    if (channel === undefined) throw new Refusal(404, 'not_found', `No channel ${id} exists.`);
    return channel;
  }

  function messageOf(id: string): Mutable<LocalMessage> {
    const message = messages.find((candidate) => candidate.id === id);
    if (message === undefined) throw new Refusal(404, 'not_found', `No message ${id} exists.`);
    return message;
  }

  function messageIn(channelId: string, id: string): Mutable<LocalMessage> {
    const message = messageOf(id);
    if (message.channel_id !== channelId)
      throw new Refusal(404, 'not_found', `No message ${id} is in ${channelId}.`);
    return message;
  }

  function join(channel: Mutable<LocalChannel>, person: Person): void {
    channel.members = [...channel.members.filter(({ id }) => id !== person.id), person];
  }

  function openChannel(name: string, type: ChannelType, members: readonly Person[] = []): LocalChannel {
    const id = `local:${name}`;
    const channel = channels.get(id) ?? { id, name, type, members: [], created_at: new Date().toISOString() };
    channels.set(id, channel);
    for (const member of members) join(channel, member);
    return channel;
  }

  function post(message: NewFakeMessage): LocalMessage {
    const channelId = `local:${message.channel}`;
    const channel = channelOf(channelId);
    const named = message.threadId ?? message.replyTo ?? null;
    const place = named === null ? null : messageIn(channelId, named);
    const root = place === null ? null : (place.thread_id ?? (message.threadId == null ? null : place.id));
    const attachments = (message.attachments ?? []).map(({ name, mime, bytes }) => {
      const id = newId('file');
      files.set(id, { mime, bytes });
      return { id, name, mime, size_bytes: bytes.length, url: `${publicUrl()}/local/api/attachments/${id}` };
    });
    const id = newId('post');
    const posted: Mutable<LocalMessage> = {
      id,
      channel_id: channelId,
      thread_id: root,
      user: message.user,
      text: message.text,
      reply_to: message.replyTo ?? null,
      attachments,
      reactions: message.reactions ?? [],
      created_at: (message.at ?? new Date()).toISOString(),
      edited_at: null,
      deleted_at: null,
      permalink: `${publicUrl()}/chat/${message.channel}/${id}`,
    };
    join(channel, message.user);
    messages.push(posted);
    record('message.created', posted);
    return posted;
  }

  function react(id: string, userId: string, emoji: string, on: boolean): LocalMessage {
    const message = messageOf(id);
    const others = message.reactions.filter((reaction) => reaction.emoji !== emoji);
    const ids = message.reactions.find((reaction) => reaction.emoji === emoji)?.user_ids ?? [];
    if (ids.includes(userId) === on) return message;
    const next = on ? [...ids, userId] : ids.filter((one) => one !== userId);
    const place = message.reactions.findIndex((reaction) => reaction.emoji === emoji);
    const changed = next.length === 0 ? [] : [{ emoji, user_ids: next }];
    message.reactions =
      place === -1 ? [...others, ...changed] : message.reactions.toSpliced(place, 1, ...changed);
    const data = { message_id: id, channel_id: message.channel_id, user_id: userId, emoji };
    record(on ? 'reaction.added' : 'reaction.removed', data);
    return message;
  }

  function own(id: string, userId: string | null): Mutable<LocalMessage> {
    const message = messageOf(id);
    if (message.user.id !== userId)
      throw new Refusal(403, 'forbidden', 'Only its author may change a message.');
    if (message.deleted_at !== null) throw new Refusal(412, 'precondition_failed', 'The message is deleted.');
    return message;
  }

  function edit(id: string, userId: string, text: string): LocalMessage {
    const message = own(id, userId);
    message.text = text;
    message.edited_at = new Date().toISOString();
    record('message.updated', message);
    return message;
  }

  function remove(id: string, userId: string | null): LocalMessage {
    const message = own(id, userId);
    Object.assign(message, {
      text: '',
      attachments: [],
      reactions: [],
      deleted_at: new Date().toISOString(),
    });
    record('message.deleted', message);
    return message;
  }

  function list({ query }: FakeRequest): readonly LocalMessage[] {
    const channelId = query.get('channel_id') ?? '';
    channelOf(channelId);
    const limit = Number(query.get('limit') ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
      throw new Refusal(422, 'validation_failed', 'limit: must be 1 to 200');
    }
    let found = messages.filter((message) => message.channel_id === channelId);
    const thread = query.get('thread_id');
    if (thread !== null) {
      const root = messageIn(channelId, thread).thread_id ?? thread;
      found = found.filter((message) => message.id === root || message.thread_id === root);
    }
    const after = query.get('after');
    const before = query.get('before');
    if (before !== null) {
      const to = messages.indexOf(messageIn(channelId, before));
      return found.filter((message) => messages.indexOf(message) < to).slice(-limit);
    }
    if (after === null) return found.slice(-limit);
    const from = messages.indexOf(messageIn(channelId, after));
    return found.filter((message) => messages.indexOf(message) > from).slice(0, limit);
  }

  function personIn(value: unknown): Person {
    const { id, name } = asRecord(value);
    if (
      typeof id !== 'string' ||
      !/^[A-Za-z0-9_+][A-Za-z0-9._@+:-]{0,63}$/.test(id) ||
      typeof name !== 'string'
    ) {
      throw new Refusal(422, 'validation_failed', 'user: must have an id and a name');
    }
    return { id, name };
  }

  const routes: readonly FakeRoute[] = [
    route('GET', '/local/api/channels', {}, () => ok({ data: [...channels.values()] })),
    route('POST', '/local/api/channels', { body: ['name', 'type', 'members'] }, ({ body }) => {
      const name = textField(body, 'name');
      if (!/^[A-Za-z0-9_+][A-Za-z0-9._@+:-]{0,79}$/.test(name)) {
        throw new Refusal(
          422,
          'validation_failed',
          'name: must be 1 to 80 of letters, digits and . _ @ + : -',
        );
      }
      const known = channels.has(`local:${name}`);
      const members = Array.isArray(body.members) ? body.members.map(personIn) : [];
      return ok(openChannel(name, textField(body, 'type') as ChannelType, members), known ? 200 : 201);
    }),
    route(
      'GET',
      '/local/api/messages',
      { query: ['channel_id', 'thread_id', 'after', 'before', 'limit'] },
      (request) => ok({ data: list(request) }),
    ),
    route(
      'POST',
      '/local/api/messages',
      { body: ['channel_id', 'user', 'text', 'thread_id', 'reply_to', 'attachments'] },
      ({ body, headers }) => {
        const key = String(headers['idempotency-key'] ?? randomUUID());
        const earlier = keyed.get(key);
        if (earlier !== undefined) return ok(messageOf(earlier), 201);
        const given: readonly unknown[] = Array.isArray(body.attachments) ? body.attachments : [];
        const attachments = given.map((item) => {
          const file = asRecord(item);
          return {
            name: textField(file, 'name'),
            mime: textField(file, 'mime'),
            bytes: Buffer.from(textField(file, 'data'), 'base64'),
          };
        });
        const text = textField(body, 'text');
        if (text.trim() === '' && attachments.length === 0) {
          throw new Refusal(422, 'validation_failed', 'text: must not be empty');
        }
        const message = {
          channel: textField(body, 'channel_id').replace(/^local:/, ''),
          user: personIn(body.user),
          text,
          threadId: typeof body.thread_id === 'string' ? body.thread_id : null,
          replyTo: typeof body.reply_to === 'string' ? body.reply_to : null,
          attachments,
        };
        const posted = post(message);
        keyed.set(key, posted.id);
        return ok(posted, 201);
      },
    ),
    route('PATCH', '/local/api/messages/:id', { body: ['user_id', 'text'] }, ({ body }, [id = '']) =>
      ok(edit(id, textField(body, 'user_id'), textField(body, 'text'))),
    ),
    route('DELETE', '/local/api/messages/:id', { query: ['user_id'] }, ({ query }, [id = '']) =>
      ok(remove(id, query.get('user_id'))),
    ),
    route(
      'POST',
      '/local/api/messages/:id/reactions',
      { body: ['user_id', 'emoji'] },
      ({ body }, [id = '']) => {
        const emoji = textField(body, 'emoji');
        if (!/^[A-Za-z0-9_+'-]{1,64}(?:::skin-tone-[2-6])?$/.test(emoji)) {
          throw new Refusal(422, 'validation_failed', 'emoji: must be the name of an emoji without colons');
        }
        return ok(react(id, textField(body, 'user_id'), emoji, true));
      },
    ),
    route(
      'DELETE',
      '/local/api/messages/:id/reactions/:emoji',
      { query: ['user_id'] },
      ({ query }, [id = '', emoji = '']) => ok(react(id, query.get('user_id') ?? '', emoji, false)),
    ),
    route('GET', '/local/api/attachments/:id', {}, (_request, [id = '']) => {
      const file = files.get(id);
      if (file === undefined) throw new Refusal(404, 'not_found', 'No such attachment.');
      const headers = { 'content-type': file.mime, 'x-content-type-options': 'nosniff' };
      return { status: 200, bytes: file.bytes, headers };
    }),
    route('GET', '/local/api/events', {}, ({ headers }, _parameters, response) => {
      if (cut) throw new Refusal(503, 'unavailable', 'Shutting down.');
      const last = headers['last-event-id'];
      const cursor = last === undefined ? log.length : Number(last);
      resumedAfter.push(typeof last === 'string' ? last : null);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write(`retry: 1000\nid: ${cursor}\n\n`);
      for (const entry of log.slice(cursor)) write(response, entry);
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return null;
    }),
  ];

  return {
    routes,
    messages: messages as readonly LocalMessage[],
    openChannel,
    post,
    react,
    edit,
    remove,
    files,
    typing(channel: string, userId: string): void {
      const data = { message_id: null, channel_id: `local:${channel}`, user_id: userId, emoji: null };
      for (const stream of streams) stream.write(`event: typing\ndata: ${JSON.stringify(data)}\n\n`);
    },
    /** Cuts every stream and refuses new ones until {@link mendLine}. */
    cutLine(): void {
      cut = true;
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
    mendLine(): void {
      cut = false;
    },
    streamCount: () => streams.size,
    resumedAfter: resumedAfter as readonly (string | null)[],
  };
}

export type FakeChat = ReturnType<typeof createFakeChat>;

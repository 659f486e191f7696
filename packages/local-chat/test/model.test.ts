import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatEvent, ChatMessage } from '../src/index.ts';
import { type Harness, harness } from './harness.ts';

/** Random conversations against a model of a few lines: what the chat answers, lists and tells must agree with it. */

const USERS = ['ada', 'ben', 'cy'];
const EMOJI = ['+1', 'eyes', '+1::skin-tone-2'];

const user = fc.constantFrom(...USERS);
/** Who changes a message: mostly, who wrote it. */
const changer = fc.constantFrom('author', 'author', 'author', ...USERS);
const channel = fc.nat({ max: 1 });
/** Picks a message of those there are by then, or now and then one that is not there; see {@link Model.at}. */
const pick = fc.noBias(fc.nat());
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constant('same'));

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('post' as const), channel, user, text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      channel,
      user,
      text,
      to: pick,
      quote: fc.boolean(),
      astray: fc.nat({ max: 9 }).map((chance) => chance === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), user: changer, text, of: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), user: changer, of: pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('react' as const),
      user,
      of: pick,
      emoji: fc.constantFrom(...EMOJI),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('unreact' as const),
      user,
      of: pick,
      emoji: fc.constantFrom(...EMOJI),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

interface Modelled {
  readonly id: string;
  readonly channel: string;
  readonly thread: string | null;
  readonly replyTo: string | null;
  readonly author: string;
  text: string;
  edited: boolean;
  deleted: boolean;
  reactions: { emoji: string; user: string }[];
}

class Model {
  readonly messages: Modelled[] = [];
  readonly channels: readonly string[];

  constructor(channels: readonly string[]) {
    this.channels = channels;
  }

  at(pick: number): Modelled | undefined {
    return this.messages[pick % (this.messages.length + 1)];
  }

  in(channelId: string): Modelled[] {
    return this.messages.filter((message) => message.channel === channelId);
  }
}

/** Does the action on the chat and on the model; the statuses must agree. */
async function act(chat: Harness, model: Model, step: Action): Promise<void> {
  if (step.do === 'post' || step.do === 'reply') return say(chat, model, step);
  const target = model.at(step.of);
  const id = target?.id ?? 'post_00000000000000000000000000';
  const actor = step.user === 'author' ? (target?.author ?? 'ada') : step.user;
  const mine = target?.author === actor;
  switch (step.do) {
    case 'edit': {
      const { status } = await chat.call('PATCH', `/messages/${id}`, { user_id: actor, text: step.text });
      expect(status).toBe(!target ? 404 : !mine ? 403 : target.deleted || step.text === '' ? 422 : 200);
      if (status === 200 && target && target.text !== step.text) {
        target.text = step.text;
        target.edited = true;
      }
      return;
    }
    case 'delete': {
      const { status } = await chat.call('DELETE', `/messages/${id}?user_id=${actor}`);
      expect(status).toBe(!target ? 404 : !mine ? 403 : 200);
      if (status === 200 && target) Object.assign(target, { text: '', deleted: true, reactions: [] });
      return;
    }
    case 'react': {
      const reaction = { emoji: step.emoji, user: step.user };
      const body = { user_id: step.user, emoji: step.emoji };
      const { status } = await chat.call('POST', `/messages/${id}/reactions`, body);
      expect(status).toBe(!target ? 404 : target.deleted ? 422 : 200);
      if (status === 200 && target && !target.reactions.some((given) => same(given, reaction))) {
        target.reactions.push(reaction);
      }
      return;
    }
    case 'unreact': {
      const reaction = { emoji: step.emoji, user: step.user };
      const path = `/messages/${id}/reactions/${encodeURIComponent(step.emoji)}?user_id=${step.user}`;
      const { status } = await chat.call('DELETE', path);
      expect(status).toBe(target ? 200 : 404);
      if (target) target.reactions = target.reactions.filter((given) => !same(given, reaction));
      return;
    }
  }
}

async function say(
  chat: Harness,
  model: Model,
  step: Extract<Action, { do: 'post' | 'reply' }>,
): Promise<void> {
  const chosen = model.channels[step.channel]!;
  const target = step.do === 'reply' ? model.at(step.to) : undefined;
  const channelId = step.do === 'reply' && !step.astray ? (target?.channel ?? chosen) : chosen;
  const to = step.do === 'reply' ? (target?.id ?? 'post_00000000000000000000000000') : undefined;
  const quotes = step.do === 'reply' && step.quote;
  const { status, body } = await chat.call('POST', '/messages', {
    channel_id: channelId,
    user: { id: step.user, name: step.user },
    text: step.text,
    ...(to === undefined ? {} : quotes ? { reply_to: to } : { thread_id: to }),
  });
  const lost = step.do === 'reply' && target?.channel !== channelId;
  expect(status).toBe(step.text === '' ? 422 : lost ? 404 : 201);
  if (status !== 201) return;
  model.messages.push({
    id: body.id,
    channel: channelId,
    thread: target === undefined ? null : quotes ? target.thread : (target.thread ?? target.id),
    replyTo: quotes ? (target?.id ?? null) : null,
    author: step.user,
    text: step.text,
    edited: false,
    deleted: false,
    reactions: [],
  });
}

function same(one: { emoji: string; user: string }, other: { emoji: string; user: string }): boolean {
  return one.emoji === other.emoji && one.user === other.user;
}

/** A message of the chat as the model sees it. */
function seen(message: ChatMessage): Modelled {
  return {
    id: message.id,
    channel: message.channel_id,
    thread: message.thread_id,
    replyTo: message.reply_to,
    author: message.user.id,
    text: message.text,
    edited: message.edited_at !== null,
    deleted: message.deleted_at !== null,
    reactions: message.reactions.flatMap(({ emoji, user_ids }) =>
      user_ids.map((id) => ({ emoji, user: id })),
    ),
  };
}

/** The model's reactions in the chat's order: emoji by first use, users by time. */
function grouped(message: Modelled): Modelled {
  const groups = Map.groupBy(message.reactions, (reaction) => reaction.emoji);
  return { ...message, reactions: [...groups.values()].flat() };
}

/** What a consumer knows that has seen only the events. */
function retold(events: readonly ChatEvent[]): ChatMessage[] {
  const messages = new Map<string, ChatMessage>();
  for (const event of events) {
    if (event.type !== 'reaction.added' && event.type !== 'reaction.removed') {
      messages.set(event.data.id, structuredClone(event.data));
      continue;
    }
    const { message_id, emoji, user_id } = event.data;
    const message = messages.get(message_id);
    // A tombstone stands in for all that was told of a deleted message.
    if (message === undefined || message.deleted_at !== null) continue;
    const group = message.reactions.find((reaction) => reaction.emoji === emoji);
    if (event.type === 'reaction.added') {
      if (group === undefined) message.reactions.push({ emoji, user_ids: [user_id] });
      else group.user_ids.push(user_id);
    } else if (group !== undefined) {
      group.user_ids = group.user_ids.filter((id) => id !== user_id);
      message.reactions = message.reactions.filter((reaction) => reaction.user_ids.length > 0);
    }
  }
  return [...messages.values()];
}

describeEngines('a conversation', (engine) => {
  test('is listed, paged and told as the model has it', async () => {
    const chat = await harness(engine);
    let conversations = 0;
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 20, maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 6 }),
      async (steps, limit) => {
        conversations += 1;
        const start = await chat.chat.newestCursor();
        const channels = [await chat.channel(`a-${conversations}`), await chat.channel(`b-${conversations}`)];
        const model = new Model(channels);
        for (const step of steps) await act(chat, model, step);
        for (const channelId of channels) await compare(chat, model.in(channelId), channelId, limit);

        const events: ChatEvent[] = [];
        for (let page = [...(await chat.chat.eventsAfter(start, limit))]; page.length > 0; ) {
          events.push(...page);
          page = await chat.chat.eventsAfter(events.at(-1)!.cursor, limit);
        }
        expect(retold(events).map(seen)).toEqual(model.messages.map(grouped));
      },
    );
    await fc.assert(property, { numRuns: 25 });
  }, 180_000);
});

async function compare(chat: Harness, model: Modelled[], channelId: string, limit: number): Promise<void> {
  const list = async (query: string) => {
    const { body } = await chat.call('GET', `/messages?channel_id=${channelId}${query}`);
    return (body.data as ChatMessage[]).map(seen);
  };
  const expected = model.map(grouped);
  expect(await list('&limit=200')).toEqual(expected);
  expect(await list(`&limit=${limit}`)).toEqual(expected.slice(-limit));
  for (const [index, message] of expected.entries()) {
    expect(await list(`&after=${message.id}&limit=${limit}`)).toEqual(
      expected.slice(index + 1, index + 1 + limit),
    );
  }
  for (const root of expected.filter((message) => message.thread === null)) {
    expect(await list(`&thread_id=${root.id}`)).toEqual(
      expected.filter((message) => message === root || message.thread === root.id),
    );
  }
}

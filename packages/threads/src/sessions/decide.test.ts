import { expect, test } from 'vitest';
import { decide, type Meaning, MOST_HOPS, type SeenCommand, type Situation } from './decide.ts';

const base: Situation = {
  addressed: 'nobody',
  isBot: false,
  hops: 0,
  isEmpty: false,
  standing: 'allowed',
  session: null,
  startsUnmentioned: false,
  isDirect: false,
  command: null,
  wasRefused: false,
};
const known: SeenCommand = {
  kind: 'known',
  who: 'guest',
  needsSession: true,
  isStackable: false,
  hasNearest: false,
};
const kill: SeenCommand = { ...known, kind: 'kill', who: 'allowed', needsSession: false };
const help: SeenCommand = { ...known, needsSession: false };
const cd: SeenCommand = { ...known, who: 'allowed', needsSession: false, isStackable: true };
const unknown: SeenCommand = { ...known, kind: 'unknown', needsSession: false };
const session = { mentionsOnly: false };
const quiet = { mentionsOnly: true };

const ignored = (why: string) => ({ act: 'ignore', why });

const rows: [string, Partial<Situation>, Meaning | { act: string }][] = [
  // Anywhere
  ['!kill by someone allowed, unmentioned and outside any session', { command: kill }, { act: 'kill' }],
  ['!kill in a session', { command: kill, session, standing: 'owner' }, { act: 'kill' }],
  [
    '!kill by a guest',
    { command: kill, session, standing: 'guest' },
    { act: 'refuse_command', needs: 'allowed' },
  ],
  ['!kill by a stranger in a session', { command: kill, session, standing: 'stranger' }, { act: 'refuse' }],
  ['!kill by a stranger in the channel', { command: kill, standing: 'stranger' }, ignored('not_addressed')],
  [
    '!kill by a bot is text',
    { command: kill, isBot: true, hops: 1, session, standing: 'guest' },
    { act: 'queue' },
  ],

  // No session
  ['a post that mentions nobody', {}, ignored('not_addressed')],
  ['a mention', { addressed: 'bot' }, { act: 'start' }],
  ['a mention by a stranger', { addressed: 'bot', standing: 'stranger' }, { act: 'refuse' }],
  [
    'the stranger’s next mention in the thread',
    { addressed: 'bot', standing: 'stranger', wasRefused: true },
    ignored('refused_before'),
  ],
  ['a mention and nothing else', { addressed: 'bot', isEmpty: true }, { act: 'hint' }],
  ['a mention with !help', { addressed: 'bot', command: help }, { act: 'command' }],
  ['!help without a mention', { command: help }, ignored('not_addressed')],
  [
    'a mention with a command that needs a session',
    { addressed: 'bot', command: known },
    { act: 'no_session' },
  ],
  ['a mention with !cd in front', { addressed: 'bot', command: cd }, { act: 'start' }],
  ['a mention with an unknown !word', { addressed: 'bot', command: unknown }, { act: 'start' }],
  [
    'a mention with a slip of a command',
    { addressed: 'bot', command: { ...unknown, hasNearest: true } },
    { act: 'unknown_command' },
  ],
  ['any post of the channel in direct channel mode', { startsUnmentioned: true }, { act: 'start' }],
  [
    'a post to somebody else in direct channel mode',
    { startsUnmentioned: true, addressed: 'other' },
    ignored('side_conversation'),
  ],
  ['an allowed bot’s mention', { addressed: 'bot', isBot: true, hops: 1 }, { act: 'start' }],

  // In a session
  ['a reply of the owner', { session, standing: 'owner' }, { act: 'queue' }],
  ['a reply of a guest', { session, standing: 'guest' }, { act: 'queue' }],
  ['a reply of a stranger', { session, standing: 'stranger' }, { act: 'hold' }],
  ['a reply that begins with somebody else', { session, addressed: 'other' }, ignored('side_conversation')],
  [
    'a stranger’s talk to somebody else',
    { session, addressed: 'other', standing: 'stranger' },
    ignored('side_conversation'),
  ],
  ['a command', { session, command: known, standing: 'guest' }, { act: 'command' }],
  [
    'a command above the guest’s standing',
    { session, command: { ...known, who: 'allowed' }, standing: 'guest' },
    { act: 'refuse_command', needs: 'allowed' },
  ],
  ['a stranger’s command', { session, command: known, standing: 'stranger' }, { act: 'refuse' }],
  ['an unknown !word goes to the agent', { session, command: unknown }, { act: 'queue' }],
  [
    'a slip of a command goes to the agent too',
    { session, command: { ...unknown, hasNearest: true } },
    { act: 'queue' },
  ],
  [
    'a stranger’s slip of a command is held as any other message',
    { session, command: { ...unknown, hasNearest: true }, standing: 'stranger' },
    { act: 'hold' },
  ],
  ['a post without anything in it', { session, isEmpty: true }, ignored('not_addressed')],
  ['an allowed bot’s reply', { session, isBot: true, hops: 1, standing: 'guest' }, { act: 'queue' }],
  [
    'a bot’s reply after too many',
    { session, isBot: true, hops: MOST_HOPS + 1, standing: 'guest' },
    ignored('bot_loop'),
  ],

  // Quiet mode
  [
    'a reply without a mention in quiet mode',
    { session: quiet },
    { act: 'ignore', why: 'quiet', mayAnswer: true },
  ],
  [
    'a stranger’s reply without a mention in quiet mode',
    { session: quiet, standing: 'stranger' },
    ignored('quiet'),
  ],
  ['a mention in quiet mode', { session: quiet, addressed: 'bot' }, { act: 'queue' }],
  [
    'a stranger’s mention in quiet mode',
    { session: quiet, addressed: 'bot', standing: 'stranger' },
    { act: 'hold' },
  ],
  ['a command in quiet mode', { session: quiet, command: known }, { act: 'command' }],
];

test.each(rows)('%s', (_name, situation, expected) => {
  expect(decide({ ...base, ...situation })).toEqual(expected);
});

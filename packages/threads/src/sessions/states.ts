import { transitionTable } from '@postern/kit';

/** How a session's state moves; `paused` has no process, `interrupted` has one that waits for the next message. */
export const sessionStates = transitionTable('session', {
  starting: { ready: 'active', pause: 'paused', end: 'ended' },
  active: { interrupt: 'interrupted', relaunch: 'starting', pause: 'paused', end: 'ended' },
  interrupted: { proceed: 'active', relaunch: 'starting', pause: 'paused', end: 'ended' },
  paused: { relaunch: 'starting', end: 'ended' },
  ended: {},
});

export type SessionEvent = (typeof sessionStates.events)[number];

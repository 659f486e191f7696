import type { Platform, PostRef } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { SessionTable } from '../tables.ts';
import { mayAs } from './decide.ts';
import { headerAct } from './header.ts';
import type { SessionJoins } from './joins.ts';
import type { LiveSession } from './live.ts';
import { sessionSteeredBy } from './records.ts';
import type { Standing } from './session.ts';

export interface ReactionsOptions {
  readonly ports: ThreadsPorts;
  readonly platform: Platform;
  readonly joins: SessionJoins;
  /** Sessions of this process that have not ended. */
  lives(): Iterable<LiveSession>;
  live(session: SessionTable): LiveSession;
  standing(session: SessionTable | null, personId: string): Promise<Standing>;
  /** Lets work go on by itself. */
  start(what: string, work: Promise<unknown>): void;
  isShut(): boolean;
}

/** What people's reactions do: answer questions, steer sessions, show or hide details of the output. */
export function reactionsOf(options: ReactionsOptions) {
  const { ports, platform, joins, live, standing, start, isShut } = options;

  async function onReaction(ref: PostRef, personId: string, emoji: string): Promise<void> {
    if (isShut() || (await joins.questions.react(platform.id, ref, personId, emoji))) return;
    start('a reaction to output could not be carried out', reactToOutput(ref, personId, emoji));
    const act = headerAct(emoji);
    const session = act === null ? null : await sessionSteeredBy(ports.store.db, platform.id, ref);
    if (act === null || session === null) return;
    const needed = act === 'resume' ? 'guest' : whoMay(act === 'end' ? 'stop' : 'escape');
    if (!mayAs(await standing(session, personId), needed)) {
      await ports.audit.record(platform.id, {
        action: 'reaction_refused',
        sessionId: session.session_id,
        channelId: ref.channelId,
        threadId: session.thread_id,
        actor: personId,
        details: { emoji, act },
      });
      return;
    }
    start('a reaction could not be carried out', actOn(session, act, personId));
  }

  /** Reactions on what an agent has posted show or hide details; whoever is in the session may. */
  async function reactToOutput(ref: PostRef, personId: string, emoji: string): Promise<void> {
    for (const own of options.lives()) {
      if (own.hasOutput() && mayAs(await standing(own.row, personId), 'guest')) {
        if (await own.react(ref, emoji)) return;
      }
    }
  }

  async function onReactionTakenBack(ref: PostRef, personId: string, emoji: string): Promise<void> {
    if (!isShut()) start('a reaction to output could not be taken back', reactToOutput(ref, personId, emoji));
  }

  async function actOn(session: SessionTable, act: 'end' | 'interrupt' | 'resume', personId: string) {
    const name = (await platform.person(personId))?.name ?? personId;
    const actor = { id: personId, name };
    if (act === 'end') await live(session).end(`ended by @${name}`, actor);
    else if (act === 'interrupt') await live(session).interrupt(actor);
    else await live(session).resume(actor);
  }

  function whoMay(command: string): Standing {
    return joins.commands.all.find(({ name }) => name === command)?.who ?? 'allowed';
  }

  return { onReaction, onReactionTakenBack };
}

import { nowMilliseconds } from '@postern/kit';
import type { CommandResult, SessionSetUp } from '../commands/command.ts';
import type { PlatformConfig } from '../config.ts';
import { channelMemory } from '../memory/channel-memory.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { TaskDesk } from '../unattended/desk.ts';
import type { CommandReading } from './joins.ts';
import type { Reading } from './reading.ts';
import { sessionById, viewOf } from './records.ts';
import type { SessionActions } from './session.ts';

type Commands = Extract<CommandReading, { kind: 'commands' }>;

/** `refused` when one was not carried out, of which the thread was told; `silent` when it was told nothing at all. */
export type RunCommands = (
  reading: Reading,
  commands: Commands,
  setUp: SessionSetUp,
) => Promise<'refused' | 'said' | 'silent'>;

/** Carries out the commands at the head of a message, in their order, each on record. */
export function commandRunner(options: {
  readonly ports: ThreadsPorts;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly actions: SessionActions;
  readonly tasks: TaskDesk;
}): RunCommands {
  const { ports, behaviour, platform } = options;
  const { store } = ports;
  const memory = channelMemory(ports);

  return async (reading, { calls }, setUp) => {
    const { message, post, standing, session, say, typed } = reading;
    let ran: 'said' | 'silent' = 'silent';
    for (const [index, { command, args, rest }] of calls.entries()) {
      const current = session === null ? null : await sessionById(store.db, session.session_id);
      const result: CommandResult = await command.run({
        platform,
        session: current === null || current.state === 'ended' ? null : await viewOf(store.db, current),
        post,
        person: { id: post.author.id, name: post.author.name, standing },
        args,
        rest,
        setUp,
        typed,
        actions: options.actions,
        tasks: options.tasks,
        nowMs: nowMilliseconds(ports.clock),
        memory: behaviour.memory ? memory : null,
      });
      if (command.isAudited) {
        await ports.audit.record(platform.id, {
          action: 'command',
          sessionId: session?.session_id ?? null,
          channelId: message.channel_id,
          threadId: message.thread_id,
          actor: post.author.id,
          actorName: post.author.name,
          details: { command: command.name, done: result.done },
        });
      }
      if (result.reply !== null) await say(result.reply, `reply:${message.post_id}:${index}`);
      if (!result.done) return 'refused';
      if (result.reply !== null) ran = 'said';
    }
    return ran;
  };
}

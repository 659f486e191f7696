import type { RunNow, TaskDesk } from '../unattended/desk.ts';
import type { Task, TaskKind } from '../unattended/task.ts';
import { SIGN } from '../unattended/task.ts';
import { listLine, nameOf } from '../unattended/texts.ts';
import type { CommandCall, CommandResult } from './command.ts';
import { type CommandDefinition, refused, said } from './definition.ts';

const WORDS = {
  routine: { many: 'routines', title: 'Routines', verbs: ['pause', 'resume', 'delete', 'run'] },
  watch: { many: 'watches', title: 'Watches', verbs: ['pause', 'resume', 'delete'] },
} as const satisfies Record<TaskKind, object>;

/** `!routines` and `!watches`: the list, and what may be done to one by its number there. */
export function tasksCommand(kind: TaskKind): CommandDefinition {
  const { many, verbs } = WORDS[kind];
  return {
    name: many,
    aliases: [],
    usage: `[${verbs.join('|')} <n>]`,
    help: `Lists the ${many} of this channel, or changes one of them by its number.`,
    who: 'allowed',
    feature: kind === 'routine' ? 'routines' : 'watches',
    isStackable: false,
    needsSession: false,
    isAudited: true,
    takes: 2,
    async run(call) {
      const { tasks, args, typed } = call;
      const fault = tasks.whyNot(kind, 'list');
      if (fault !== null) return refused(`⚠️ ${fault}`);
      const [verb = 'list', number] = args;
      const all = await tasks.list(kind);
      if (verb.toLowerCase() === 'list' && number === undefined) return said(await listText(call, kind, all));
      const known = verbs.find((each) => each === verb.toLowerCase());
      if (known === undefined || number === undefined || !/^\d{1,4}$/.test(number)) {
        return refused(
          `Write ${typed(many)}, or ${verbs.map((each) => typed(`${many} ${each} <n>`)).join(', ')}.`,
        );
      }
      const task = all[Number(number) - 1];
      if (task === undefined) return refused(`⚠️ There is no number ${number}. ${typed(many)} lists them.`);
      const obstacle = known === 'run' ? tasks.whyNot(kind, 'run') : null;
      return obstacle === null ? act(tasks, known, task, call) : refused(`⚠️ ${obstacle}`);
    },
  };
}

async function listText(
  { tasks, nowMs, typed }: CommandCall,
  kind: TaskKind,
  all: readonly Task[],
): Promise<string> {
  const { title, many } = WORDS[kind];
  if (all.length === 0) {
    const fault = tasks.whyNot(kind, 'make');
    return `${SIGN[kind]} There are no ${many} here. ${fault ?? `${typed(kind)} makes one.`}`;
  }
  const lines = await Promise.all(
    all.map(async (task, index) => listLine(task, index + 1, nowMs, await tasks.rest(task))),
  );
  return [`${SIGN[kind]} **${title}**`, ...lines].join('\n');
}

async function act(
  tasks: TaskDesk,
  verb: 'pause' | 'resume' | 'delete' | 'run',
  task: Task,
  { person }: CommandCall,
): Promise<CommandResult> {
  const name = nameOf(task);
  switch (verb) {
    case 'run':
      return ran(name, await tasks.runNow(task, person));
    case 'delete':
      return (await tasks.delete(task, person))
        ? said(`🗑️ ${name} is deleted.`)
        : refused('⚠️ It is gone already.');
    default: {
      const isDone = await tasks.enable(task, verb === 'resume', person);
      if (!isDone) return refused('⚠️ It is gone already.');
      return said(verb === 'resume' ? `▶️ ${name} goes on.` : `⏸️ ${name} is paused.`);
    }
  }
}

function ran(name: string, outcome: RunNow): CommandResult {
  switch (outcome.kind) {
    case 'begun': {
      const link = outcome.permalink === null ? '' : ` · [open](${outcome.permalink})`;
      return said(`▶️ ${name} runs in a thread of its own${link}`);
    }
    case 'waits':
      return said(`⏳ ${name} waits for a place. It begins within five minutes, or is left out.`);
    case 'failed':
      return refused(`⚠️ ${name} could not run; the channel has been told why.`);
  }
}

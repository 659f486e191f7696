import { folded } from '../folded.ts';
import type { ChannelMemory } from '../memory/channel-memory.ts';
import type { Author, MemoryEntry, MemoryPlace } from '../memory/entry.ts';
import { code, listed } from '../memory/listing.ts';
import { mayAs } from '../sessions/decide.ts';
import type { Typed } from '../typed.ts';
import type { CommandResult } from './command.ts';
import { type CommandDefinition, refused, said } from './definition.ts';

export const MEMORY_OFF = 'Memory is off here (`memory` in the platform’s configuration).';
/** Entries named when a text fits several. */
const MOST_ASKED = 10;

export const memoryCommand: CommandDefinition = {
  name: 'memory',
  aliases: [],
  usage: '[forget <n>|<text>|all]',
  help: 'Lists what is remembered in this channel, or forgets some of it.',
  who: 'guest',
  isStackable: false,
  needsSession: false,
  isAudited: true,
  takes: 'all',
  async run({ platform, post, person, args: [word], rest, memory, typed }) {
    if (memory === null) return refused(MEMORY_OFF);
    const place = { platformId: platform.id, channelId: post.channelId };
    const entries = await memory.list(place);
    if (word === undefined) return said(list(entries, typed));
    if (word.toLowerCase() !== 'forget') {
      return refused(
        `Write ${typed('memory')} to see it, or ${typed('memory forget')} and a number, some of its words, or \`all\`.`,
      );
    }
    if (!mayAs(person.standing, 'allowed')) {
      return refused('⛔ Forgetting is for people on the list of this bot.');
    }
    const what = rest.replace(/^\S+\s*/, '').trim();
    const call = { memory, place, entries, typed, by: { id: person.id, name: person.name } };
    const all = /^all(?:\s+(\d{1,6}))?$/i.exec(what);
    if (all !== null) return forgetAll(call, all[1]);
    return /^\d{1,6}$/.test(what) ? forgetNumber(call, Number(what)) : forgetText(call, what);
  },
};

interface Forgetting {
  readonly memory: ChannelMemory;
  readonly place: MemoryPlace;
  readonly entries: readonly MemoryEntry[];
  readonly by: Author;
  readonly typed: Typed;
}

function list(entries: readonly MemoryEntry[], typed: Typed): string {
  if (entries.length === 0)
    return `🧠 Nothing is remembered here yet. ${typed('remember <text>')} keeps a fact.`;
  const count = entries.length === 1 ? '1 entry' : `${entries.length} entries`;
  return `🧠 **Memory of this channel** (${count})\n\n${listed(entries)}\n\nForget one with ${typed('memory forget <n>')}.`;
}

async function forgetNumber(call: Forgetting, number: number): Promise<CommandResult> {
  const entry = call.entries[number - 1];
  if (entry === undefined) {
    return refused(`⚠️ There is no number ${number}: the memory has ${call.entries.length}.`);
  }
  return forget(call, entry);
}

async function forgetText(call: Forgetting, text: string): Promise<CommandResult> {
  const wanted = folded(text.replace(/^(["'`“])(.*)["'`”]$/s, '$2'));
  if (wanted === '') return refused('Say what to forget: a number, some of its words, or `all`.');
  const whole = call.entries.filter((entry) => folded(entry.text) === wanted);
  const found =
    whole.length > 0 ? whole : call.entries.filter((entry) => folded(entry.text).includes(wanted));
  const [only] = found;
  if (only === undefined) return refused('⚠️ Nothing with these words is remembered.');
  if (found.length === 1) return forget(call, only);
  const more = found.length > MOST_ASKED ? `\n… and ${found.length - MOST_ASKED} more.` : '';
  return refused(
    `❓ Which of these? Write ${call.typed('memory forget <n>')}.\n\n${listed(found.slice(0, MOST_ASKED))}${more}`,
  );
}

async function forget({ memory, by, typed }: Forgetting, entry: MemoryEntry): Promise<CommandResult> {
  const gone = await memory.forget(entry.id, by);
  if (gone === null) return refused(`⚠️ It was forgotten already. Look again with ${typed('memory')}.`);
  return said(`🧠 Forgotten: ${code(gone.text)}`);
}

/** Confirmed by the number of entries, so that nobody forgets more than was seen. */
async function forgetAll(call: Forgetting, confirmed: string | undefined): Promise<CommandResult> {
  const { memory, place, entries, by } = call;
  if (entries.length === 0) return said('🧠 Nothing is remembered here.');
  if (confirmed !== undefined) {
    const { done, count } = await memory.forgetAll(place, Number(confirmed), by);
    if (done) return said(`🧠 All ${count} are forgotten.`);
  }
  const { length } = await memory.list(place);
  return refused(
    `❓ That forgets ${length === 1 ? 'the one entry' : `all ${length} entries`} of this channel for good. If you mean it, write ${call.typed(`memory forget all ${length}`)}.`,
  );
}

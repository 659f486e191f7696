import type { PlatformBehaviour } from '../config.ts';
import { canonicalEmoji } from '../platforms/emoji.ts';
import { type Platform, PlatformError, type PostRef } from '../platforms/platform.ts';
import type { SessionTable } from '../tables.ts';
import { worktreeOf } from './records.ts';

/** The post at the head of a session: what it is, and reactions that steer it. */

export type HeaderAct = 'end' | 'interrupt' | 'resume';

const ACTS: Readonly<Record<string, HeaderAct>> = {
  x: 'end',
  octagonal_sign: 'end',
  double_vertical_bar: 'interrupt',
  arrows_counterclockwise: 'resume',
};

/** What a reaction on a header or a pause notice asks for; null for any other emoji. */
export function headerAct(emoji: string): HeaderAct | null {
  return ACTS[canonicalEmoji(emoji)] ?? null;
}

/** @param way How it is spoken to. */
export function headerText(
  session: Pick<SessionTable, 'working_dir' | 'worktree_json' | 'permission_mode'>,
  mode: PlatformBehaviour['sessionHeader'],
  way: 'Write' | 'Mention me',
  start: 'started' | 'failed' = 'started',
): string | null {
  if (mode === 'hidden') return null;
  const title = start === 'started' ? '🧵 **Session started**' : '⚠️ **Session not started**';
  const branch = worktreeOf(session)?.branch;
  const facts = [
    `Folder \`${session.working_dir.replaceAll('`', '')}\``,
    ...(branch === undefined ? [] : [`branch \`${branch.replaceAll('`', '')}\``]),
    `permissions \`${session.permission_mode}\``,
  ];
  if (mode === 'minimal') return `${title.replaceAll('**', '')} · ⏸️ interrupts · ❌ ends`;
  return [
    title,
    facts.join(' · '),
    `${way} here to go on · ⏸️ interrupts · ❌ ends · \`!help\` lists the commands`,
  ].join('\n');
}

/** Puts the reactions on the header, so that they are one tap away. */
export async function offerReactions(platform: Platform, header: PostRef): Promise<void> {
  if (!platform.capabilities.reactions) return;
  try {
    await platform.react(header, 'double_vertical_bar');
    await platform.react(header, 'x');
  } catch (error) {
    // People can still add them themselves.
    if (!(error instanceof PlatformError)) throw error;
  }
}

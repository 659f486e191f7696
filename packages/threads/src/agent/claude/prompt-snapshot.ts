import { checkClaude } from './check.ts';

/** The first version that is known to have the flag. */
const SINCE = [2, 1, 332] as const;

/**
 * Whether the CLI can be kept from recording a session's first system prompt. Where it records it, a session that
 * goes on is told what it was told at first, and nothing of what was remembered since. One that does not know the
 * flag would not start with it. Asked once; a failure is asked about again.
 */
export function promptSnapshots(program: {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}): () => Promise<boolean> {
  let known: boolean | null = null;
  return async () => {
    if (known !== null) return known;
    const check = await checkClaude(program);
    if (!check.ok) return false;
    known = isAtLeast(check.version);
    return known;
  };
}

function isAtLeast(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, wanted] of SINCE.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of a stdio server small. An agent's client starts one for each session and leaves it there;
 * left alone V8 would let each grow to twice the size for a speed that nobody waits for. What lives is about
 * 15 MB, so the young generation stays as small as it begins and the old one grows by a fifth at a time.
 * Figures are in the benchmarks `mcp-inbox-start` and `mcp-threads-start`.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}

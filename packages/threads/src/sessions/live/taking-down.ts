import type { SessionCore } from './core.ts';

/** How long what is still to be posted may take when a process ends. */
const CLOSE_MS = 30_000;

/** Ends the process on purpose. A turn that it finishes meanwhile counts; one that is cut off is gone on with later. */
export async function takeDown(core: SessionCore): Promise<void> {
  const { joins, slots } = core.options;
  const running = core.process;
  core.process = null;
  slots.keep(core.id);
  core.idle.abort();
  core.isTakingDown = true;
  try {
    await running?.stop();
  } finally {
    core.isTakingDown = false;
    core.generation += 1;
    joins.bridge.revoke(core.id);
    core.setIdle();
    core.idle.abort();
  }
}

/** @param limitMs So long it may go on posting. */
export async function closeOutput(core: SessionCore, limitMs = CLOSE_MS): Promise<void> {
  const closing = core.output;
  core.output = null;
  if (closing === null) return;
  const late = new AbortController();
  const isClosed = new AbortController();
  void core.options.ports.clock.sleep(limitMs, isClosed.signal).then(() => late.abort());
  await closing.close(late.signal);
  isClosed.abort();
}

/** Who runs the tools: the bot at the other end of the bridge, or this process. */
export interface ToolBackend {
  /** Never throws. `progress` may be called while it takes its time. */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    progress: () => void,
  ): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** What a tool answers that was not run. */
export function notRun(tool: string, reason: string): Readonly<Record<string, unknown>> {
  return tool === 'permission_prompt' ? { behavior: 'deny', message: reason } : { ok: false, reason };
}

import { silentLog } from '@postern/http';
import { memoryAllowances, memoryLedger } from '../tools/memory.ts';
import { runTool } from '../tools/run-tool.ts';
import type { ToolContext } from '../tools/tool.ts';
import { OWNER } from './fake-platform.ts';
import {
  type QuestionBench,
  type QuestionBenchOptions,
  questionBench,
  SESSION_ID,
} from './question-bench.ts';

/** Tools of one session on a platform in memory, with questions that people answer there. */
export interface ToolBench extends QuestionBench {
  readonly context: ToolContext;
  /** Runs a tool as the bridge would. */
  run(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    changes?: Partial<ToolContext>,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export async function toolBench(
  options: QuestionBenchOptions & { readonly workingDir?: string; readonly uploadDir?: string } = {},
): Promise<ToolBench> {
  const bench = await questionBench('sqlite', options);
  const context: ToolContext = {
    platform: bench.platform,
    session: {
      id: SESSION_ID,
      channelId: bench.platform.channelId,
      threadId: 'p1',
      workingDir: options.workingDir ?? '/nowhere',
      uploadDir: options.uploadDir ?? null,
      owner: OWNER,
      isUnattended: false,
    },
    questions: bench.questions,
    audit: bench.audit,
    outboundFiles: { enabled: true, maxBytes: 1_000 },
    deniedPaths: [],
    directMessages: memoryLedger(),
    allowances: memoryAllowances(),
    features: new Set(),
    memory: null,
    tasks: null,
    clock: bench.clock,
    log: silentLog,
    permissionTimeoutMs: 120_000,
    decisionTimeoutMs: 3_600_000,
    approvals: 'all_users',
    signal: new AbortController().signal,
  };
  return {
    ...bench,
    context,
    run: (tool, input, changes = {}) => runTool(tool, input, { ...context, ...changes }),
  };
}

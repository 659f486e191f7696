import { listMemory } from './list-memory.ts';
import { listRoutines } from './list-routines.ts';
import { listThread } from './list-thread.ts';
import { listWatches } from './list-watches.ts';
import { permissionPrompt } from './permission-prompt.ts';
import { proposeRoutine } from './propose-routine.ts';
import { proposeWatch } from './propose-watch.ts';
import { reactToPost } from './react-to-post.ts';
import { readChannelHistory } from './read-channel-history.ts';
import { readPost } from './read-post.ts';
import { rememberFact } from './remember-fact.ts';
import { searchMessages } from './search-messages.ts';
import { sendDm } from './send-dm.ts';
import { sendFile } from './send-file.ts';
import type { ThreadTool } from './tool.ts';
import { updateOwnPost } from './update-own-post.ts';

/** The tools of `claude-threads-mcp`, in the order they are listed. */
export const threadTools: readonly ThreadTool[] = [
  permissionPrompt,
  sendFile,
  readPost,
  reactToPost,
  updateOwnPost,
  listThread,
  readChannelHistory,
  searchMessages,
  sendDm,
  rememberFact,
  listMemory,
  proposeRoutine,
  proposeWatch,
  listRoutines,
  listWatches,
];

/** Those a session has, by the features that are on in it. */
export function toolsFor(
  features: ReadonlySet<string>,
  tools: readonly ThreadTool[] = threadTools,
): ThreadTool[] {
  return tools.filter(({ feature }) => feature === null || features.has(feature));
}

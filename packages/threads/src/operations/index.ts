import type { Operation } from '@postern/kit';
import type { ThreadsContext, ThreadsRights } from '../operation.ts';
import { addMemory } from './add-memory.ts';
import { answerQuestion } from './answer-question.ts';
import { deleteMemory } from './delete-memory.ts';
import { deleteTask } from './delete-task.ts';
import { editMemory } from './edit-memory.ts';
import { endSession } from './end-session.ts';
import { getSession } from './get-session.ts';
import { interruptSession } from './interrupt-session.ts';
import { listAccounts } from './list-accounts.ts';
import { listMemory } from './list-memory.ts';
import { listMemoryChannels } from './list-memory-channels.ts';
import { listPlatforms } from './list-platforms.ts';
import { listQuestions } from './list-questions.ts';
import { listRecord } from './list-record.ts';
import { listSessions } from './list-sessions.ts';
import { listTasks } from './list-tasks.ts';
import { pauseTask } from './pause-task.ts';
import { resumeTask } from './resume-task.ts';
import { streamThreadEvents } from './stream-events.ts';

/** All operations of the threads service; their routes hang under `/threads/api`. */
export const threadsOperations = [
  listSessions,
  getSession,
  endSession,
  interruptSession,
  listQuestions,
  answerQuestion,
  listRecord,
  listMemoryChannels,
  listMemory,
  addMemory,
  editMemory,
  deleteMemory,
  listTasks,
  pauseTask,
  resumeTask,
  deleteTask,
  listPlatforms,
  listAccounts,
  streamThreadEvents,
] as readonly unknown[] as readonly Operation<ThreadsContext, ThreadsRights>[];

import type { Operation } from '@postern/kit';
import type { ThreadsContext, ThreadsRights } from '../operation.ts';
import { answerQuestion } from './answer-question.ts';
import { deleteTask } from './delete-task.ts';
import { endSession } from './end-session.ts';
import { getSession } from './get-session.ts';
import { interruptSession } from './interrupt-session.ts';
import { listAccounts } from './list-accounts.ts';
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
  listTasks,
  pauseTask,
  resumeTask,
  deleteTask,
  listPlatforms,
  listAccounts,
  streamThreadEvents,
] as readonly unknown[] as readonly Operation<ThreadsContext, ThreadsRights>[];

import {
  answer,
  type FakeMessagesApi,
  hang,
  overloaded,
  text,
  toolUse,
} from '../../../../test/fakes/messages-api.ts';
import type { RecordedSession, SessionOptions } from './recorded-session.ts';

export interface Scenario {
  readonly name: string;
  record(tools: RecordingTools): Promise<string[]>;
}

interface RecordingTools {
  readonly api: FakeMessagesApi;
  readonly workingDir: string;
  start(options?: Partial<SessionOptions>): RecordedSession;
}

/** Long enough that an interrupt finds a part of it said. */
const LONG = 'Partial words, enough of them that several pieces of the stream are needed for all of them.';

export const scenarios: readonly Scenario[] = [
  {
    name: 'tools',
    async record({ api, start, workingDir }) {
      const session = start();
      api.script(
        answer(
          text('I write the file and look at another.'),
          toolUse('Write', { file_path: `${workingDir}/hello.txt`, content: 'hello\n' }),
          toolUse('Read', { file_path: `${workingDir}/missing.txt` }),
        ),
        answer(toolUse('Bash', { command: 'cat hello.txt && rm hello.txt', description: 'Show and remove' })),
        answer(text('Done.')),
      );
      session.say('Write a file.');
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'denied',
    async record({ api, start }) {
      const session = start({ decision: 'deny' });
      api.script(
        answer(toolUse('Bash', { command: 'rm -rf build', description: 'Remove the build' })),
        answer(text('I leave it.')),
      );
      session.say('Remove the build.');
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'queued',
    async record({ api, start }) {
      const session = start();
      api.script(
        async () => {
          session.say('Second.');
          await session.until('command_lifecycle', 3);
          return answer(text('The first answer.'));
        },
        answer(text('The second answer.')),
      );
      session.say('First.');
      await session.until('result', 2);
      return session.finish();
    },
  },
  {
    name: 'interrupt-answer',
    async record({ api, start }) {
      const session = start();
      api.script(hang(6, text(LONG)), answer(text('As you like.')));
      session.say('Tell me a lot.');
      await api.request(1);
      await session.until('system');
      await pause();
      session.interrupt();
      await session.until('result');
      session.say('Go on differently.');
      await session.until('result', 2);
      return session.finish();
    },
  },
  {
    name: 'interrupt-permission',
    async record({ api, start }) {
      const session = start({ decision: 'wait' });
      api.script(answer(toolUse('Bash', { command: 'touch file', description: 'Make a file' })));
      session.say('Make a file.');
      await session.until('assistant');
      await pause();
      session.interrupt();
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'task-list',
    async record({ api, start }) {
      const session = start();
      api.script(
        answer(
          toolUse('TaskCreate', { subject: 'Write it', description: 'All of it', activeForm: 'Writing it' }),
          toolUse('TaskCreate', { subject: 'Test it', description: 'Well' }),
        ),
        answer(toolUse('TaskUpdate', { taskId: '1', status: 'in_progress' })),
        answer(toolUse('TaskUpdate', { taskId: '1', status: 'completed' })),
        answer(toolUse('TaskUpdate', { taskId: '2', status: 'deleted' })),
        answer(text('All done.')),
      );
      session.say('Plan it.');
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'todo-list',
    async record({ api, start }) {
      const session = start({ env: { CLAUDE_CODE_ENABLE_TASKS: '0' } });
      const todos = (first: string, second: string) => ({
        todos: [
          { content: 'Write it', status: first, activeForm: 'Writing it' },
          { content: 'Test it', status: second, activeForm: 'Testing it' },
        ],
      });
      api.script(
        answer(toolUse('TodoWrite', todos('in_progress', 'pending'))),
        answer(toolUse('TodoWrite', todos('completed', 'completed'))),
        answer(text('All done.')),
      );
      session.say('Plan it.');
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'subagent',
    async record({ api, start, workingDir }) {
      const session = start({ env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' } });
      api.script(
        answer(
          text('I send somebody.'),
          toolUse('Task', { description: 'Look it up', prompt: 'Look.', subagent_type: 'general-purpose' }),
        ),
        answer(text('I read.'), toolUse('Read', { file_path: `${workingDir}/missing.txt` })),
        answer(text('There is nothing.')),
        answer(text('There was nothing.')),
      );
      session.say('Look it up.');
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'background-subagent',
    async record({ api, start }) {
      const session = start();
      const isOfSubagent = (request: { everything: string }) => request.everything.includes('LOOK-CLOSELY');
      const gate = Promise.withResolvers<void>();
      api.scriptFor(
        (request) => isOfSubagent(request) && !request.everything.includes('Somebody, please.'),
        async () => {
          await gate.promise;
          return answer(text('There is nothing.'));
        },
      );
      api.script(
        answer(
          toolUse('Task', { description: 'Look', prompt: 'LOOK-CLOSELY', subagent_type: 'general-purpose' }),
        ),
        answer(text('Somebody is on it.')),
        answer(text('Nothing was found.')),
      );
      session.say('Somebody, please.');
      await session.until('result');
      gate.resolve();
      await session.until('result', 2);
      return session.finish();
    },
  },
  {
    name: 'api-errors',
    async record({ api, start }) {
      const session = start();
      api.script(overloaded(), answer(text('There I am again.')), () => ({
        kind: 'refuse',
        status: 403,
        type: 'permission_error',
        message: 'Your account does not have access.',
      }));
      session.say('Hello.');
      await session.until('result');
      session.say('Hello again.');
      await session.until('result', 2);
      return session.finish();
    },
  },
  {
    name: 'slash-commands',
    async record({ api, start }) {
      const session = start();
      api.script(
        answer(text('Hello.')),
        answer(text('<summary>They said hello.</summary>')),
        answer(text('Anew.')),
      );
      session.say('Hello.');
      await session.until('result');
      session.say('/compact');
      await session.until('result', 2);
      session.say('/cost');
      await session.until('result', 3);
      session.say('/clear');
      await session.until('result', 4);
      session.say('And now?');
      await session.until('result', 5);
      return session.finish();
    },
  },
  {
    name: 'question',
    async record({ api, start }) {
      const session = start();
      const options = ['Red', 'Blue'].map((label) => ({ label, description: `The ${label} one` }));
      api.script(
        answer(
          toolUse('AskUserQuestion', {
            questions: [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }],
          }),
        ),
        answer(text('I choose myself.')),
      );
      session.say('Paint it.');
      await session.until('result');
      return session.finish();
    },
  },
  {
    name: 'resumed',
    async record({ api, start }) {
      const first = start();
      api.script(answer(text('Hello.')), answer(text('Hello again.')));
      first.say('Hello.');
      await first.until('result');
      await first.finish();
      const second = start({ sessionId: first.sessionId, resume: true });
      second.say('Do you know me?');
      await second.until('result');
      return second.finish();
    },
  },
  {
    name: 'unknown-session',
    async record({ start }) {
      const session = start({ resume: true });
      session.say('Do you know me?');
      await session.ended;
      return session.lines;
    },
  },
  {
    name: 'no-tools-server',
    async record({ api, start }) {
      const session = start({ decision: 'none' });
      api.script(
        answer(text('I make it.'), toolUse('Bash', { command: 'touch file', description: 'Make it' })),
      );
      session.say('Make a file.');
      await session.ended;
      return session.lines;
    },
  },
];

/** There is no event that tells that the CLI has read the first pieces of an answer, or that a question pends. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_000));
}

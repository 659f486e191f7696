import { stderrLog } from '@postern/http/mcp';
import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import { connectStore, migrate, storeMigrations } from '@postern/store';
import type { Audit } from '../../audit/audit.ts';
import { threadsMigrations } from '../../migrations.ts';
import { type Platform, PlatformError } from '../../platforms/platform.ts';
import type { Questions } from '../../questions/question.ts';
import { createQuestions } from '../../questions/questions.ts';
import type { ThreadsTables } from '../../tables.ts';
import { memoryAllowances, memoryLedger } from '../../tools/memory.ts';
import { runTool } from '../../tools/run-tool.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { notRun, type ToolBackend } from '../backend.ts';
import type { StandaloneSettings } from '../environment.ts';
import { connectStandalone } from './connection.ts';
import { type StandalonePeople, standalonePeople } from './people.ts';
import { standalonePlatform } from './platform.ts';

/** The one session there is. */
const SESSION = 'standalone';
const BEAT_MS = 10_000;

/** What happens is told on stderr; a chained record is the bot's. */
const logged: Audit = {
  async record(_platformId, { action, actor, tool, details }) {
    stderrLog.info({ action, actor, tool, ...details }, 'audit');
  },
};

/** Runs the tools in this process, with a connection to the platform of its own. */
export async function standaloneBackend(settings: StandaloneSettings): Promise<ToolBackend> {
  const clock = systemClock;
  const platform = await standalonePlatform(settings, stderrLog);
  // Questions are kept as in the bot, in a database that ends with the process.
  const store = await connectStore<ThreadsTables>({ file: ':memory:', clock });
  await migrate(store, [...storeMigrations, ...threadsMigrations]);
  const people = onceKnown(() => standalonePeople(platform, settings, stderrLog));
  const questions = createQuestions({
    store,
    clock,
    newId: idGenerator({ clock, random: systemRandom }),
    log: stderrLog,
    audit: logged,
    sessions: {
      view: async (id) => (await people()).lookup.view(id),
      standing: async (...person) => (await people()).lookup.standing(...person),
    },
    platform: (id) => (id === platform.id ? platform : null),
  });
  const connection = connectStandalone({
    platform,
    questions,
    sessionId: SESSION,
    threadId: settings.threadId,
    clock,
  });
  const shared = sharedContext(settings, platform, questions);
  return {
    async call(tool, input, signal, progress) {
      const over = new AbortController();
      void beat(progress, over.signal);
      try {
        await connection.ready(signal);
        const context: ToolContext = { ...shared(await people()), signal };
        return await runTool(tool, input, context);
      } catch (error) {
        // Only the people are asked for outside of runTool.
        const why = error instanceof PlatformError ? error.message : 'an unexpected error occurred';
        return notRun(tool, `The chat platform cannot be used now: ${why}.`);
      } finally {
        over.abort();
      }
    },
    async close() {
      await questions.settled();
      await connection.close();
      questions.close();
      await store.close();
    },
  };
}

function sharedContext(settings: StandaloneSettings, platform: Platform, questions: Questions) {
  const directMessages = memoryLedger();
  const allowances = memoryAllowances();
  return (people: StandalonePeople): Omit<ToolContext, 'signal'> => ({
    platform,
    questions,
    session: {
      id: SESSION,
      channelId: settings.channelId,
      threadId: settings.threadId,
      workingDir: settings.workingDir,
      uploadDir: settings.uploadDir,
      owner: people.owner,
      isUnattended: false,
    },
    audit: logged,
    outboundFiles: settings.outboundFiles,
    deniedPaths: [],
    directMessages,
    allowances,
    features: new Set(),
    memory: null,
    tasks: null,
    clock: systemClock,
    log: stderrLog,
    permissionTimeoutMs: settings.permissionTimeoutMs,
    decisionTimeoutMs: settings.decisionTimeoutMs,
    approvals: 'all_users',
  });
}

/** Asks until there was an answer, and then no more. */
function onceKnown<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | null = null;
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

async function beat(progress: () => void, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await systemClock.sleep(BEAT_MS, over);
    if (!over.aborted) progress();
  }
}

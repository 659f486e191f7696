export {
  ALLOWED,
  BOT,
  type FakeFile,
  type FakePlatform,
  fakePlatform,
  OWNER,
  STRANGER,
} from './fake-platform.ts';
export { type ScriptedClaude, scriptedClaude } from './fakes/claude/scripted-claude.ts';
export { mattermostHarness } from './fakes/mattermost/harness.ts';
export { type FakeSlack, fakeSlack } from './fakes/slack/fake-slack.ts';
export { slackHarness } from './fakes/slack/harness.ts';
export { type MemoryAudit, memoryAudit } from './memory-audit.ts';
export type { PlatformHarness } from './platform-harness.ts';
export {
  type QuestionBench,
  type QuestionBenchOptions,
  questionBench,
  SESSION_ID,
} from './question-bench.ts';
export { threadsStore } from './store.ts';

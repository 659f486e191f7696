export type { Agent } from './agent/agent.ts';
export { claudeAgent } from './agent/claude/claude-agent.ts';
export { AuditFileError, auditFile } from './audit/file.ts';
export { openAudit } from './audit/open-audit.ts';
export { type AuditVerdict, verifyAudit } from './audit/verify-audit.ts';
export { bridgeEnvironment } from './bridge/environment.ts';
export {
  defaultLimits,
  type PlatformConfig,
  type ThreadsConfig,
  threadsConfigSchema,
  toThreadsConfig,
} from './config.ts';
export { threadsMigrations } from './migrations.ts';
export { mountThreads } from './mount.ts';
export { localPlatform } from './platforms/local/platform.ts';
export type { LookUp } from './platforms/look-up.ts';
export { checkMattermost, type PlatformCheck } from './platforms/mattermost/check.ts';
export { mattermostLookUp } from './platforms/mattermost/look-up.ts';
export { mattermostPlatform } from './platforms/mattermost/mattermost.ts';
export { type Platform, PlatformError } from './platforms/platform.ts';
export { checkSlack } from './platforms/slack/check.ts';
export { slackLookUp } from './platforms/slack/look-up.ts';
export { slackPlatform } from './platforms/slack/slack-platform.ts';
export type { RoomHealth } from './sessions/manager.ts';
export type { ThreadsTables } from './tables.ts';
export { createThreads, type RunningThreads } from './threads.ts';

export {
  defaultLimits,
  type PlatformConfig,
  type ThreadsConfig,
  threadsConfigSchema,
  toThreadsConfig,
} from './config.ts';
export { threadsMigrations } from './migrations.ts';
export type { ThreadsTables } from './tables.ts';

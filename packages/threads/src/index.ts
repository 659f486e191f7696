export { defaultLimits, type PlatformConfig, type ThreadsConfig } from './config.ts';
export { threadsMigrations } from './migrations.ts';
export type { ThreadsTables } from './tables.ts';

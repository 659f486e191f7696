import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

// The programs that tests start run from TypeScript; compiled once, each takes half the time to start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/compile', import.meta.url));

export default defineConfig({
  test: {
    include: ['packages/*/{src,test}/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    // They need clients that npm ci does not bring; see npm run test:external.
    exclude: [...configDefaults.exclude, 'test/external/**'],
    // One PostgreSQL for the whole run; it is up in half a second.
    globalSetup: ['packages/store/src/testing/global-setup.ts'],
    // Most tests wait for sockets and disks, so more of them than there are cores keep those busy.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 60_000,
    // A machine that is busy for a moment fails no run; the reporter lists what needed a second try.
    retry: process.env.CI === undefined ? 0 : 1,
    // What is polled for comes when it comes; a second is little on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});

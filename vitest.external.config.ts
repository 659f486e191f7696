import { defineConfig } from 'vitest/config';

/** Tests with other people's clients, which `npm run test:external` installs first. */
export default defineConfig({
  test: {
    include: ['test/external/**/*.test.ts'],
    testTimeout: 90_000,
    // A machine that is busy for a moment fails no run; the reporter lists what needed a second try.
    retry: process.env.CI === undefined ? 0 : 1,
    // What is polled for comes when it comes; a second is little on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    // The agent CLI is a large program; two at a time are enough for a small machine.
    maxWorkers: 2,
  },
});

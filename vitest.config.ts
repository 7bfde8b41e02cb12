import { defineConfig } from 'vitest/config';
import Leftovers from './test/support/leftovers.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    // Longer than a busy machine needs: a test that hangs is ended, none has to be quick.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Most files start processes and wait for them, so that one worker more than the cores of a build server pays.
    maxWorkers: 3,
    // Sandboxes and databases share the machine with whatever else runs on a build server.
    reporters: ['default', new Leftovers()],
    retry: process.env.CI ? 2 : 0,
  },
});

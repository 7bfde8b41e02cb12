import { defineConfig } from 'vitest/config';
import Leftovers from './test/support/leftovers.ts';
import Skips from './test/support/skips.ts';

/** They change nothing outside of what they make, so that a worker loads the sources once for many of them. */
const together = ['src/**/*.test.ts', 'test/{documents,judgement,surface}/**/*.test.ts'];

/** They fill the process table, the memory and the processor on purpose; what runs beside them would fail for it. */
const alone = ['attacks/process', 'attacks/web-resources', 'process/commands'].map(
  (name) => `test/${name}.test.ts`,
);

/**
 * What takes minutes: servers that are killed again and again, fleets, containers, browsers, attacks by force, languages
 * tried at random, the package as a stranger installs it. `npm test` leaves it out, `npm run test:all` does not.
 */
const long = [
  'assistant/search',
  'attacks/{answers,commands,console,files-crash,files-swap,killed-server,layer,layer-swap,pipeline,power-cut,terminal,toolchains,web-hostile}',
  'attacks/{doors,git}/*',
  'cli/{first-hour,init-hooks,pasted,projects,records,stopped,undo}',
  'console/{browser,everybody,large}',
  'container/*',
  'documents/tried',
  'effects/*',
  'examples/package',
  'files/contention',
  'fleet/*',
  'history/{killed,session}',
  'hooks/prompts',
  'memory/embeddings-killed',
  'notify/{browser,round-trip}',
  'pipeline/{corpus,random}',
  'process/{dry-run,git,git-settings,network,sessions,try}',
  'records/{begun,full-disk}',
  'road/one-caller',
  'store/killed',
  'team/{claims,following,killed,page,restarts,story,waiting}',
  'upstream/{attacks,calls,five-servers,flow,hostile,oauth,oauth-processes,questions,surface,watching}',
].map((name) => `test/${name}.test.ts`);

/** Of the same kind, and not isolated from each other. */
const longTogether = ['differential', 'guarded', 'written'].map((name) => `test/judgement/${name}.test.ts`);

const setup = 'test/support/build.ts';
const sandboxed = [setup, 'test/support/find-sandboxes.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'rooms', include: together, exclude: longTogether, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          exclude: [...together, ...alone, ...long],
          globalSetup: sandboxed,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: [...long, ...longTogether], globalSetup: sandboxed },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          globalSetup: sandboxed,
        },
      },
    ],
    globalSetup: setup,
    setupFiles: 'test/support/own-home.ts',
    // Longer than a busy machine needs: a test that hangs is ended, none has to be quick.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Most files start processes and wait for them, so that one worker more than the cores of a build server pays.
    maxWorkers: 3,
    reporters: ['default', new Skips(), new Leftovers()],
    // Sandboxes and databases share the machine with whatever else runs on a build server.
    retry: process.env.CI ? 2 : 0,
  },
});

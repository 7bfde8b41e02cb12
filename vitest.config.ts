import { defineConfig } from 'vitest/config';
import Leftovers from './test/support/leftovers.ts';
import Skips from './test/support/skips.ts';

/** They change nothing outside of what they make, so that a worker loads the sources once for many of them. */
const together = ['src/**/*.test.ts', 'test/{documents,judgement,surface}/**/*.test.ts'];

/** They fill the process table, the memory and the processor on purpose; what runs beside them would fail for it. */
const alone = ['attacks/process', 'attacks/web-resources', 'command/commands'].map(
  (name) => `test/${name}.test.ts`,
);

const testFiles = (names: readonly string[]) => names.map((name) => `test/${name}.test.ts`);

/**
 * Minutes each or by chance: servers that are killed again and again, fleets, containers, races, generated programs.
 * `npm run test:slow` runs them, for whoever changes what they are about.
 */
const slow = testFiles([
  'attacks/{files-crash,files-swap,killed-server,layer,layer-swap,power-cut,terminal,web-hostile}',
  'cli/{pasted,stopped}',
  'console/large',
  'documents/tried',
  'edge/{carries,crashes,outward,patience,ways,work}',
  'container/container',
  'effects/{beside-bash,killed,pairs,real-watchers,watched-killed}',
  'files/contention',
  'fleet/{cancel,chaos}',
  'history/{killed,session}',
  'memory/embeddings-killed',
  'pipeline/{corpus,random}',
  'resident/killed',
  'store/killed',
  'team/{claims,killed,page,restarts,story}',
  'upstream/{hostile,oauth-processes}',
]);

/** Slower than a newcomer waits for: attacks, browsers, clients as processes, the package as a stranger installs it. */
const long = testFiles([
  'assistant/search',
  'attacks/{answers,commands,console,outside,pipeline,published,toolchains}',
  'attacks/{doors,git}/*',
  'cli/{first-hour,init-hooks,projects,records,undo}',
  'console/{browser,everybody}',
  'edge/{keys,signing,ssh,tries}',
  'container/arguments',
  'effects/{attributes,exact,git-losses,judged,landing,obeyed,once,walls,watched,watched-obeyed}',
  'effects/{watched-names,watched-odd,watched-walls,wipes,working-folder}',
  'examples/package',
  'fleet/two-nodes',
  'hooks/prompts',
  'notify/{browser,round-trip}',
  'publish/*',
  'command/{dry-run,git,git-settings,modes,network,sessions,try}',
  'records/{begun,full-disk}',
  'resident/{clients,resident}',
  'road/{one-caller,outside-wire}',
  'team/{following,waiting}',
  'upstream/{attacks,calls,five-servers,flow,oauth,questions,surface,watching}',
]);

const setup = 'test/support/build.ts';
const sandboxed = [setup, 'test/support/find-sandboxes.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'rooms', include: together, exclude: slow, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          exclude: [...together, ...alone, ...long, ...slow],
          globalSetup: sandboxed,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: long, globalSetup: sandboxed },
      },
      {
        extends: true,
        test: { name: 'slow', include: slow, globalSetup: sandboxed },
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

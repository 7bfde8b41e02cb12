import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Reasons that hold on every build server; any other fails a run with CI set. */
const excused: readonly string[] = [
  // It takes hours: `SEKISHO_HAMMER=1 npm run test:all`.
  'SEKISHO_HAMMER not set',
  // They run as root: containers and small disks take it.
  'root may write everything',
  // A build server may keep its clones from other users.
  'no clone that other users may read',
  // A container may have none.
  'no loop devices',
  // The machine would have to carry one that nothing else may find.
  'no older Node',
];

/** Says at the end of a run which tests were skipped, and for lack of what. */
export default class Skips implements Reporter {
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const byReason = new Map<string, Map<string, number>>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const { note } = test.result() as { readonly note?: string | undefined };
        const reason = test.meta().lacks?.join(', ') ?? note;
        // A test that `-t` leaves out has none.
        if (reason === undefined && this.#isFiltered) continue;
        const files = byReason.get(reason ?? 'no reason given') ?? new Map<string, number>();
        files.set(module.relativeModuleId, (files.get(module.relativeModuleId) ?? 0) + 1);
        byReason.set(reason ?? 'no reason given', files);
      }
    }
    if (byReason.size === 0) return;
    console.log('\nSkipped:');
    for (const [reason, files] of byReason) {
      const isExcused = excused.includes(reason);
      const fails = process.env.CI && !isExcused;
      if (fails) process.exitCode = 1;
      console.log(`  ${reason}${fails ? ': FAILED, a build server must have it' : ''}`);
      for (const [file, count] of files) console.log(`    ${file} (${count})`);
    }
  }
}

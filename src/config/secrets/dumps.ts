import { writeFileSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';

/** Keeps values out of what a crash of this process leaves: a core has no memory (core(5)), a report no variables. */
export function keepOutOfDumps(): void {
  process.report.excludeEnv = true;
  // Other systems have no such file.
  orElse(() => writeFileSync('/proc/self/coredump_filter', '0'), undefined);
}

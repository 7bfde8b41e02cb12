import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFilterHole } from './filter-check.ts';
import { compileFilter, type FilterPlan, hasSeccomp } from './seccomp.ts';

// Its own network namespace holds no way out, and its own process namespace nobody else to signal or trace.
const plan: FilterPlan = { sockets: 'private', signals: true, tracing: true };

/** A file without a name that holds the filter. Throws where the filter is not what it should be. */
export function openFilter(): number {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no system call filter for ${architecture}`);
  const filter = compileFilter(plan, architecture);
  const hole = findFilterHole(filter, plan, architecture);
  if (hole !== undefined) throw new Error(`the system call filter has a hole: ${hole}`);
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-filter-'));
  try {
    const path = join(folder, 'filter');
    writeFileSync(path, filter);
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

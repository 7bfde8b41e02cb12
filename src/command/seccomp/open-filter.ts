import type { Buffer } from 'node:buffer';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defer } from '../../ground/defer.ts';
import { findFilterHole } from './filter-check.ts';
import { compileFilter, type FilterPlan, hasSeccomp } from './seccomp.ts';

/**
 * The filter for commands in their own namespaces: their network has no connection to the outside, and they see no
 * other processes to signal or trace. Throws if the compiled filter fails its check.
 */
export function namespaceFilter(sockets: 'private' | 'supervised', files?: 'watched'): Buffer {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no system call filter for ${architecture}`);
  const plan: FilterPlan = { sockets, signals: true, tracing: true, files };
  const filter = compileFilter(plan, architecture);
  const hole = findFilterHole(filter, plan, architecture);
  if (hole !== undefined) throw new Error(`the system call filter has a hole: ${hole}`);
  return filter;
}

/** A nameless file with the filter. */
export function openFilter(filter: Buffer): number {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-filter-'));
  using _ = defer(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'filter');
  writeFileSync(path, filter);
  return openSync(path, 'r');
}

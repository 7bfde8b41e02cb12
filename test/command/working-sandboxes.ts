import { inject } from 'vitest';
import type { SandboxName } from '../../src/contract/capabilities/process.ts';

/** The sandboxes that work on this machine; `none` always does. Tests of the others are skipped by name. */
export function workingSandboxes(): ReadonlySet<SandboxName> {
  return new Set(inject('sandboxes'));
}

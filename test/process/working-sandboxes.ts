import { tmpdir } from 'node:os';
import { openCommands } from '../../src/confine/process/commands.ts';
import type { SandboxName } from '../../src/contract/capabilities/process.ts';

/** The sandboxes that work on this machine; `none` always does. Tests of the others are skipped by name. */
export async function workingSandboxes(): Promise<ReadonlySet<SandboxName>> {
  const runner = openCommands({ roots: [{ hostPath: tmpdir(), writable: false }], sandbox: 'off' });
  try {
    return new Set((await runner.status()).filter((status) => status.works).map((status) => status.name));
  } finally {
    await runner.close();
  }
}

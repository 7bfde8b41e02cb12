import { tmpdir } from 'node:os';
import type { TestProject } from 'vitest/node';
import { CommandRunner } from '../../src/command/commands.ts';
import type { SandboxName } from '../../src/contract/capabilities/process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Those that work on this machine; `none` always does. */
    readonly sandboxes: readonly SandboxName[];
  }
}

/** Before any test, once for all files: trying the sandboxes of a machine costs more than many a test does. */
export default async function findSandboxes(project: TestProject): Promise<void> {
  const runner = new CommandRunner({ roots: [{ hostPath: tmpdir(), writable: false }], sandbox: 'off' });
  try {
    const working = (await runner.status()).filter(({ works }) => works);
    project.provide(
      'sandboxes',
      working.map(({ name }) => name),
    );
  } finally {
    await runner.close();
  }
}

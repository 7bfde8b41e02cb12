import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inject } from 'vitest';
import type { SandboxName } from '../../src/contract/capabilities/process.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is skipped; the reporter in `skips.ts` prints it. */
    lacks?: readonly string[];
  }
}

/** Why something cannot be tried here, or undefined where it can. */
type Lack = string | undefined;

/** The options of a test or a suite that is skipped where something is lacking. The end of the run lists it with the reason. */
export function needs(...lacks: readonly Lack[]) {
  const found = lacks.filter((lack) => lack !== undefined);
  return found.length === 0 ? {} : { skip: true, meta: { lacks: found } };
}

/** The first of these programs that is on no folder of PATH. */
export function programs(...names: readonly string[]): Lack {
  const missing = names.find((name) => !isOnPath(name));
  return missing && `no ${missing}`;
}

/** Sandboxes of which none works here. */
export function sandbox(...names: readonly SandboxName[]): Lack {
  const working = inject('sandboxes');
  return names.some((name) => working.includes(name)) ? undefined : `${names.join(' and ')} not working`;
}

export function superuser(): Lack {
  return process.getuid?.() === 0 ? undefined : 'not root';
}

export function linux(): Lack {
  return process.platform === 'linux' ? undefined : 'not Linux';
}

/** Hours of what the suite tries a sample of. */
export function hammer(): Lack {
  return process.env.SEKISHO_HAMMER === '1' ? undefined : 'SEKISHO_HAMMER not set';
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

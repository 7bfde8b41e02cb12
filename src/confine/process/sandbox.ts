import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '../../contract/error.ts';
import type { FolderRoot } from '../../contract/files.ts';
import type { SandboxName, SandboxStatus } from '../../contract/process.ts';
import { text, verbatim } from '../../contract/text.ts';
import { openBubblewrap } from './bubblewrap.ts';
import type { Backend } from './child.ts';
import { searchPath } from './environment.ts';
import { closeInheritedOnSpawn } from './inherited.ts';
import type { ProcessLimits } from './prelude.ts';
import { type Roots, resolveRoots } from './roots.ts';
import { findHole } from './self-test.ts';
import { openUnconfined } from './unconfined.ts';

export interface SandboxOptions {
  /** Folders that commands may read, and write where they are writable. Resolved: no link on the way. */
  readonly roots: readonly FolderRoot[];
  /** `off` only by the operator: commands then run with all that the server may do. */
  readonly sandbox: 'required' | 'off';
  /** More folders that a command may read, e.g. a toolchain in a home folder. */
  readonly readable?: readonly string[] | undefined;
  /** Names below a root that commands may not change. */
  readonly readOnlyNames?: readonly string[] | undefined;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** Size of a command's own `/tmp`. */
  readonly temporaryBytes?: number | undefined;
  /** The server's own variables: what may be passed on is picked from them. */
  readonly serverEnvironment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The sandbox of a server: chosen and proven on first need, kept until it closes. */
export interface Sandbox {
  /** Throws `unavailable` where none works. Never falls back to none. */
  backend(): Promise<Backend>;
  roots(): Roots;
  status(): Promise<readonly SandboxStatus[]>;
  close(): Promise<void>;
}

export function openSandbox(options: SandboxOptions): Sandbox {
  let resolved: Roots | undefined;
  const roots = () => {
    resolved ??= resolveRoots(options.roots);
    return resolved;
  };
  const candidates = new Map<SandboxName, Promise<Trial>>();

  function attempt(name: SandboxName): Promise<Trial> {
    let trial = candidates.get(name);
    if (!trial) {
      trial = tryBackend(name, options, roots());
      candidates.set(name, trial);
    }
    return trial;
  }

  async function choose(): Promise<Backend> {
    const problems: string[] = [];
    for (const name of options.sandbox === 'off' ? (['none'] as const) : confining) {
      const trial = await attempt(name);
      if (trial.backend) return trial.backend;
      problems.push(`${name}: ${trial.cause}`);
    }
    throw new ToolError(
      'unavailable',
      text(
        'No sandbox works on this machine, so commands are not run.',
        'このマシンで使えるサンドボックスがないため、コマンドは実行されません。',
      ),
      {
        suggestion: text(
          `The operator can install one: ${remedies.bubblewrap}. "sekisho doctor" says what is missing.`,
          `管理者が導入できます: ${remedies.bubblewrap}。不足は "sekisho doctor" で確認できます。`,
        ),
        cause: problems.join('; '),
      },
    );
  }

  return {
    backend: choose,
    roots,
    async status() {
      const names = options.sandbox === 'off' ? [...confining, 'none' as const] : confining;
      return Promise.all(names.map(async (name) => (await attempt(name)).status));
    },
    async close() {
      for (const trial of candidates.values()) await (await trial).backend?.close();
      candidates.clear();
    },
  };
}

const confining = ['bubblewrap'] as const satisfies readonly SandboxName[];
const remedies = { bubblewrap: 'apt-get install bubblewrap (or dnf, apk, pacman)' };

interface Trial {
  readonly status: SandboxStatus;
  readonly backend?: Backend | undefined;
  /** For the log. */
  readonly cause?: string | undefined;
}

async function tryBackend(name: SandboxName, options: SandboxOptions, roots: Roots): Promise<Trial> {
  let backend: Backend | undefined;
  try {
    await closeInheritedOnSpawn();
    backend = open(name, options, roots);
    const hole = name === 'none' ? undefined : await findHole(backend, roots.all[0]?.hostPath ?? '/');
    if (hole === undefined) return { backend, status: { name, works: true } };
    await backend.close();
    return failed(name, hole);
  } catch (error) {
    await backend?.close();
    return failed(name, error instanceof Error ? error.message : String(error));
  }
}

function failed(name: SandboxName, cause: string): Trial {
  const remedy = name === 'bubblewrap' ? remedies.bubblewrap : undefined;
  return { cause, status: { name, works: false, problem: verbatim(cause), remedy } };
}

function open(name: SandboxName, options: SandboxOptions, roots: Roots): Backend {
  if (name === 'none') return openUnconfined();
  const program = findProgram('bwrap', (options.serverEnvironment ?? process.env).PATH);
  if (program === undefined) throw new Error('bubblewrap (bwrap) is not installed');
  return openBubblewrap({
    program,
    roots: roots.all,
    readable: options.readable ?? [],
    readOnlyNames: options.readOnlyNames ?? ['.git'],
    temporaryBytes: options.temporaryBytes ?? 1024 ** 3,
    path: (options.serverEnvironment ?? process.env).PATH,
  });
}

/** A root of the workspace could hold a `bwrap` of its own: only the system's folders are searched. */
function findProgram(name: string, path: string | undefined): string | undefined {
  for (const folder of searchPath(path)) {
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

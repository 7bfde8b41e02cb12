import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isProgram } from '../command/shell.ts';
import { type ProgramName, programNames, type ShelfEntry } from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** The programs for stages, each found once, by absolute path. */
export type Shelf = ReturnType<typeof createShelf>;

export interface FoundProgram {
  readonly path: string;
  readonly from: 'npm' | 'system';
}

export interface ShelfOptions {
  /** Folders that are searched for programs; never one that could be in a workspace. */
  readonly folders?: readonly string[] | undefined;
  readonly ripgrep?: (() => Promise<string>) | undefined;
}

const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin'];

export function createShelf(options: ShelfOptions = {}) {
  const folders = options.folders ?? systemFolders;
  const found = new Map<ProgramName, Promise<FoundProgram>>();

  async function look(name: ProgramName): Promise<FoundProgram> {
    if (name === 'rg') {
      // Without the bundled ripgrep, use the machine's own.
      const path = await (options.ripgrep ?? shippedRipgrep)().catch(() => undefined);
      if (path !== undefined) return { path, from: 'npm' };
    }
    for (const candidate of spellings[name] ?? [name]) {
      for (const folder of folders) {
        const path = join(folder, candidate);
        if (isProgram(path)) return { path: realpathSync(path), from: 'system' };
      }
    }
    throw missing(name);
  }

  function find(name: ProgramName): Promise<FoundProgram> {
    let program = found.get(name);
    if (!program) {
      program = look(name);
      // A missing program may be installed while we run.
      program.catch(() => found.delete(name));
      found.set(name, program);
    }
    return program;
  }

  return {
    /** Throws MISSING_BINARY with installation advice. */
    find,
    async describe(): Promise<readonly ShelfEntry[]> {
      return Promise.all(
        names.map(async (name): Promise<ShelfEntry> => {
          // An unavailable program is listed as missing.
          const program = await find(name).catch(() => undefined);
          if (!program) return { name, from: 'missing', remedy: remedyOf(name) };
          return { name, path: program.path, from: program.from, version: await versionOf(program.path) };
        }),
      );
    },
  };
}

const names = programNames.split(' ') as ProgramName[];

const spellings: Partial<Record<ProgramName, readonly string[]>> = {
  awk: ['awk', 'gawk', 'mawk', 'original-awk'],
};

async function shippedRipgrep(): Promise<string> {
  return (await import('@vscode/ripgrep')).rgPath;
}

const packages: Partial<Record<ProgramName, string>> = {
  awk: 'mawk',
  rg: 'ripgrep',
  diff: 'diffutils',
  find: 'findutils',
  column: 'bsdextrautils',
};
const ofCoreutils = new Set<ProgramName>(['head', 'tail', 'sort', 'tr', 'wc', 'ls']);

function remedyOf(name: ProgramName): string {
  return `apt-get install ${packages[name] ?? (ofCoreutils.has(name) ? 'coreutils' : name)}`;
}

function missing(name: ProgramName): ToolError {
  const remedy = remedyOf(name);
  const detail = `${name} is not installed on this machine.`;
  const suggestion = `Ask the operator to install it: ${remedy} (or dnf, apk, brew).`;
  return new ToolError('MISSING_BINARY', detail, `このマシンには ${name} がありません。`, {
    suggestion: text(
      suggestion,
      `運用者にインストールを依頼してください:  ${remedy} (または dnf, apk, brew)`,
    ),
    wire: { code: 'MISSING_BINARY', reason: name, detail, suggestion },
  });
}

async function versionOf(path: string): Promise<string | undefined> {
  for (const flag of ['--version', '-W version', '-version']) {
    try {
      const { stdout, stderr } = await promisify(execFile)(path, flag.split(' '), {
        timeout: 5000,
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      });
      const [line] = `${stdout}${stderr}`.split('\n');
      if (line) return line.trim();
    } catch {
      // Try another spelling.
    }
  }
  return undefined;
}

import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { noteOf } from '../hook/socket.ts';
import { isSameWorld, residentNameOf, residentSocketOf, thisProcess } from './standing.ts';

interface Joining {
  readonly socket: string;
  readonly node: string;
  readonly script: string;
}

interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The same start of `serve` by the small program, without a runtime; `start` itself where that cannot run. */
export async function startByProgram(start: StartCommand): Promise<StartCommand> {
  const { command: node, args } = start;
  const [script = ''] = args;
  // npx looks up the script on each start.
  if (process.platform !== 'linux' || node !== process.execPath) return start;
  const name = residentNameOf({ ...thisProcess(), script });
  const socket = name === undefined ? undefined : residentSocketOf(name, process.env);
  if (socket === undefined) return start;
  try {
    return { command: await prepareProgram({ socket, node, script }), args: [node, ...args] };
  } catch {
    // The folder forbids execution.
    return start;
  }
}

/** The small program for this server, tried since a folder may forbid execution. Other builds' become this one. */
export async function prepareProgram({ socket, node, script }: Joining): Promise<string> {
  const path = socket.replace(/\.sock$/, '.join');
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertOwn(folder);
  if (existsSync(path)) {
    accessSync(path, constants.X_OK);
    return path;
  }
  const { compileSmallProgram } = await import('./small-program.ts');
  const { arch } = process;
  if (arch !== 'x64' && arch !== 'arm64') throw new Error(`there is no small program for ${arch}`);
  const own = `${path}.${process.pid}`;
  const write = (given: Parameters<typeof compileSmallProgram>[0]) => {
    rmSync(own, { force: true });
    writeFileSync(own, compileSmallProgram(given, arch), { mode: 0o700, flag: 'wx' });
  };
  write({ socket: nowhere, note: nowhere, server: [nowhere], log: nowhere, runtime: nowhere });
  const { status } = spawnSync(own, { stdio: 'ignore', timeout: 5000 });
  if (status !== systemFailed) {
    rmSync(own, { force: true });
    throw new Error(`${folder} does not let programs run`);
  }
  const server = [node, script, 'resident', '--socket', socket];
  write({ socket, note: noteOf(socket), server, log: `${socket}.log`, runtime: node });
  const others = readdirSync(folder).filter(
    (name) => name.endsWith('.join') && isSameWorld(name, basename(path)),
  );
  for (const other of others) {
    const copy = `${own}.copy`;
    copyFileSync(own, copy);
    renameSync(copy, join(folder, other));
  }
  renameSync(own, path);
  return path;
}

/** A program or a server that another user has put there would act with our rights, as after `sudo` that keeps HOME. */
function assertOwn(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.() || (mode & writableByOthers) !== 0)
    throw new Error(`${folder} belongs to another user, or others may write there`);
}

const writableByOthers = 0o022;
/** A path below a file, which cannot exist. */
const nowhere = '/proc/version/nowhere';
const systemFailed = 3;

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeOf, hookFolderOf } from '../../config/state.ts';
import { text } from '../../contract/text/text.ts';
import { compileHook, type HookProgram } from '../../hooks/program/hook-program.ts';
import { told } from '../common/say.ts';
import { noteOf, quickSocketOf } from '../hook/socket.ts';

/** What the settings of a client start for each use of a tool, where this machine can run it. */
export function quickHookOf(client: string): string {
  return join(hookFolderOf(process.env, homeOf(process.env)), `${client}-hook`);
}

/**
 * Writes the program that does what `line` does, without its runtime, and gives its path; undefined where the machine
 * cannot run it, and `line` itself is what to start.
 */
export function writeQuickHook(client: string, config: string, line: readonly string[]): string | undefined {
  const [node = '', script = ''] = line;
  const { platform, arch } = process;
  // By npx, which looks for the script anew each time, there is none whose server could be named.
  const canRun = platform === 'linux' && (arch === 'x64' || arch === 'arm64') && node === process.execPath;
  if (!canRun) return undefined;
  const path = quickHookOf(client);
  const socket = quickSocketOf(config, script);
  const program = {
    client,
    socket,
    note: noteOf(socket),
    slowly: [node, ...line.slice(1)],
    refusal: told(cut),
  };
  const write = (given: HookProgram) => writeProgram(path, compileHook(given, arch));
  try {
    write({ ...program, socket: nowhere, note: nowhere, slowly: [nowhere] });
    const { status, stderr } = spawnSync(path, { input: '{}', encoding: 'utf8', timeout: 5_000 });
    if (status !== 2 || stderr !== program.refusal) throw new Error('it does not refuse');
    write(program);
    return path;
  } catch {
    // A folder from which nothing may be started, a path that is too long for a socket.
    rmSync(path, { force: true });
    return undefined;
  }
}

/** In one step: one that is running stays whole. */
function writeProgram(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.new`;
  rmSync(next, { force: true });
  writeFileSync(next, bytes, { mode: 0o700, flag: 'wx' });
  renameSync(next, path);
}

/** A path below a file. */
const nowhere = '/proc/version/nowhere';

const cut = text(
  'Sekisho could not decide, so nothing is let through: the answer was cut, or nothing could be started. `sekisho doctor` says what works here.\n',
  'Sekisho が判断できないため、何も許可しません: 答えが途中で切れたか、何も起動できませんでした。`sekisho doctor` で状態を確認できます。\n',
);

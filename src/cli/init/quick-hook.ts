import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeOf, hookFolderOf } from '../../config/state.ts';
import { text } from '../../contract/text/text.ts';
import { compileHook, type HookProgram } from '../../hooks/program/hook-program.ts';
import { told } from '../common/say.ts';
import { hooksSocketOf, noteOf } from '../hook/socket.ts';

/** The program that a client's settings start for each use of a tool, if this machine can run it. */
export function quickHookOf(client: string): string {
  return join(hookFolderOf(process.env, homeOf(process.env)), `${client}-hook`);
}

/**
 * The program equivalent to `line` without its runtime, tested and ready to be installed; undefined if the machine
 * cannot run it and `line` must be used.
 */
export function prepareQuickHook(
  client: string,
  config: string,
  line: readonly string[],
): { readonly path: string; install(): void; discard(): void } | undefined {
  const [node = '', script = ''] = line;
  const { platform, arch } = process;
  // npx looks up the script on each start, so no server could be named.
  const canRun = platform === 'linux' && (arch === 'x64' || arch === 'arm64') && node === process.execPath;
  if (!canRun) return undefined;
  const path = quickHookOf(client);
  const next = `${path}.new`;
  const discard = () => rmSync(next, { force: true });
  const socket = hooksSocketOf(script);
  const program = {
    client,
    args: ['--config', config],
    socket,
    note: noteOf(socket),
    server: [node, script, 'resident', '--hooks', socket],
    log: `${socket}.log`,
    slowly: [node, ...line.slice(1)],
    refusal: told(cut),
  };
  const write = (given: HookProgram) => {
    discard();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(next, compileHook(given, arch), { mode: 0o700, flag: 'wx' });
  };
  try {
    write({ ...program, socket: nowhere, note: nowhere, slowly: [nowhere], server: [nowhere] });
    const { status, stderr } = spawnSync(next, { input: '{}', encoding: 'utf8', timeout: 5_000 });
    if (status !== 2 || stderr !== program.refusal) throw new Error('it does not refuse');
    write(program);
    // Replaces it atomically: a running hook stays whole.
    return { path, install: () => renameSync(next, path), discard };
  } catch {
    // The folder may forbid execution, or the path may be too long for a socket.
    discard();
    return undefined;
  }
}

/** A path below a file, which cannot exist. */
const nowhere = '/proc/version/nowhere';

const cut = text(
  'Sekisho could not decide, so the call is refused: the answer was cut off, or no server could be started. `sekisho doctor` says what works here.\n',
  'Sekisho が判断できないため、呼び出しを拒否します: 回答が途中で切れたか、サーバーを起動できませんでした。`sekisho doctor` で状態を確認できます。\n',
);

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadSettings } from '../../config/load.ts';
import { configFolderOf, homeOf, hookFolderOf } from '../../config/places/state.ts';
import { runtimeOf } from '../../config/runtime.ts';
import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { compileHook, type HookProgram } from '../../hooks/program/hook-program.ts';
import type { Options } from '../common/options.ts';
import { ownCommand } from '../common/own-command.ts';
import { inLocale, say } from '../common/say.ts';
import { noHooks } from '../container/not-inside.ts';
import { hooksSocketOf, noteOf } from '../hook/socket.ts';
import { withEntries, withoutEntries } from './hook-entries.ts';
import { type HookedClient, hookedClients } from './hooked-clients.ts';
import { forget, readIfThere, remember, remembered } from './notes.ts';
import { showChange } from './show-change.ts';

/** Adds our hooks to a client's settings, beside existing ones. */
export async function initHooks(options: Options): Promise<number> {
  const { client, name } = clientOf(options);
  const home = homeOf(process.env);
  const config = resolve(String(options.out ?? join(configFolderOf(process.env, home), 'sekisho.jsonc')));
  if (!existsSync(config))
    throw new ConfigError(
      `${config} does not exist: create it first with \`sekisho init\`.`,
      `${config} がありません。先に \`sekisho init\` で作成してください。`,
    );
  if (runtimeOf({ config }, process.env, process.platform).runtime === 'container')
    throw new ConfigError(noHooks);
  // Finds settings errors here, before the first tool would meet them.
  loadSettings({ config, root: process.cwd() });
  const file = join(home, client.file);
  const now = readIfThere(file);
  const { command, args } = ownCommand(['hook', name, '--config', config]);
  const byNode = [command, ...args].map(shellQuote).join(' ');
  const program = prepareQuickHook(name, config, [command, ...args]);
  const line = program === undefined ? byNode : shellQuote(program.path);
  const from = client.from ?? ((each: string) => each);
  const commands = { ofTools: from(line), ofTurns: from(byNode) };
  const empty = `${JSON.stringify(client.empty ?? {})}\n`;
  const after = withEntries(now?.trim() ? now : empty, { client, name, commands, file });
  if (after === undefined) {
    program?.install();
    say(
      `Sekisho's hooks are already in ${file}. \`sekisho init --remove\` removes them.`,
      `Sekisho のフックは既に ${file} にあります。\`sekisho init --remove\` で取り除けます。`,
    );
    return 0;
  }
  if (!(await showChange({ file, before: now, after }, options.yes === true))) {
    program?.discard();
    return 1;
  }
  program?.install();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Entries of an earlier version, in a file changed since, must not come back when ours are removed.
  const before =
    now?.trim() && remembered(name)?.after !== now ? withoutEntries(now, client, name, file) : now;
  remember(name, { file, before, after });
  writeFileSync(file, after, { mode: 0o600 });
  say(
    `Wrote hooks into ${file}. They start: ${line}\nFrom its next start, the client's own tools are judged, recorded and can be undone like Sekisho's. \`sekisho init --remove\` removes the hooks.`,
    `${file} にフックを書きました。起動されるもの: ${line}\n次の起動から、クライアント自身のツールも審査・記録され、元に戻せます。\`sekisho init --remove\` で取り除けます。`,
  );
  if (client.next) say(client.next);
  return 0;
}

/** Removes the hooks: restores the file byte for byte, or, if it was changed since, removes only ours. */
export async function removeHooks(options: Options): Promise<number> {
  const { client, name } = clientOf(options);
  const file = join(homeOf(process.env), client.file);
  const now = readIfThere(file);
  const known = remembered(name);
  const isOurs = known?.file === file && known.after === now;
  const after = isOurs
    ? known.before
    : now === undefined
      ? undefined
      : withoutEntries(now, client, name, file);
  if (after === now) {
    say(`${file} contains no hooks of Sekisho.`, `${file} に Sekisho のフックはありません。`);
    return 0;
  }
  if (!(await showChange({ file, before: now, after }, options.yes === true))) return 1;
  if (after === undefined) rmSync(file);
  else writeFileSync(file, after);
  forget(name);
  rmSync(quickHookOf(name), { force: true });
  say(`Removed Sekisho's hooks from ${file}.`, `${file} から Sekisho のフックを取り除きました。`);
  return 0;
}

function clientOf(options: Options): { readonly client: HookedClient; readonly name: string } {
  const name = String(options.client ?? 'claude');
  const client = hookedClients.get(name);
  if (!client)
    throw new ConfigError(
      `${name} has no hooks that Sekisho supports; it supports those of: ${[...hookedClients.keys()].join(', ')}.`,
      `${name} のフックには対応していません。対応しているのは ${[...hookedClients.keys()].join('、')} です。`,
    );
  return { client, name };
}

/** The program that a client's settings start for each use of a tool, if this machine can run it. */
function quickHookOf(client: string): string {
  return join(hookFolderOf(process.env, homeOf(process.env)), `${client}-hook`);
}

/** The program equivalent to `line` without its runtime, tested; undefined if the machine cannot run it. */
function prepareQuickHook(
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
    refusal: inLocale(cut),
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

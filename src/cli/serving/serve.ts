import { setTimeout as sleep } from 'node:timers/promises';
import { type Checkpoint, openCheckpoint, serveHttp, serveStdio } from '../../checkpoint/index.ts';
import { loadSettings } from '../../config/load.ts';
import { outsideOf } from '../../config/outside.ts';
import { placeFlags, repeatSettings } from '../../config/repeat.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { tracesOf } from '../../config/traces.ts';
import { ConfigError, ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { encodeVisibly } from '../../contract/text/visible-json.ts';
import type { TraceSettings } from '../../contract/trace.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { withoutSecrets } from '../../ground/secrets/without-secrets.ts';
import { asRoot, isRoot } from '../common/as-root.ts';
import { noteUnreadEnvFile } from '../common/note-unread.ts';
import { ownCommand, ownProgram } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { versionOf } from '../common/version.ts';
import { addressOf } from './address.ts';
import { keepMemorySteady } from './steady-memory.ts';
import { untilTold } from './stop.ts';
import type { StdioServer } from './welcome.ts';
import { settingsAtStart, settingsIn, unnamedFolderNote } from './working-folder.ts';

type Options = Readonly<Record<string, unknown>>;

/** Serves until the client leaves or the process is told to stop; calls in flight are answered first. */
export async function serve(flags: Flags, options: Options): Promise<number> {
  keepMemorySteady();
  const loaded = options.http === undefined ? settingsAtStart(flags) : loadSettings(flags);
  const settings =
    options.console === false ? { ...loaded, http: { ...loaded.http, console: false } } : loaded;
  if (settings.process.sandbox === 'off') {
    note(
      text(
        'Warning: the sandbox is off. Commands can do everything that you can; only the rules can stop them.',
        '警告: サンドボックスが無効です。コマンドはあなたと同じことをすべて実行でき、止められるのはルールだけです。',
      ),
    );
  }
  noteUnreadEnvFile(flags, settings.locale);
  return options.http === undefined
    ? serveOverStdio(settings, flags, options)
    : serveOverHttp(settings, flags, options);
}

function openServed(settings: Settings, options: Options): Promise<Checkpoint> {
  return openCheckpoint(settings, {
    version: versionOf(),
    program: ownProgram(),
    localRole: options.as as string | undefined,
    trace: wantedTraces(),
    onFault: logFault,
  });
}

async function serveOverStdio(settings: Settings, flags: Flags, options: Options): Promise<number> {
  const checkpoint = await openServed(settings, options);
  const stop = new AbortController();
  const served = await serveStdio(checkpoint, {
    signal: stop.signal,
    bearer: process.env.SEKISHO_TOKEN,
    // A folder that a person chose stays, wherever the client works.
    choose:
      settings.startedIn === undefined
        ? undefined
        : (folders, present) => openIn(folders, present, flags, options),
    onFault: logFault,
  }).catch(async (error: unknown) => {
    await checkpoint.close();
    throw error;
  });
  noteStanding();
  const unnamed = unnamedFolderNote(settings);
  if (unnamed) note(unnamed[settings.locale]);
  // Runs beside the first calls, so that serving does not wait for the rules to be checked.
  warnOfRules(checkpoint).catch(logFault);
  const told = untilTold();
  await Promise.race([served.closed, told.signal]);
  told.forget();
  stop.abort();
  // Sends the last replies before their sources are closed.
  await served.closed;
  await served.close(limits.stopGraceMs);
  return 0;
}

/** Warns of root once the server runs, so that a failed start reports only its reason. */
function noteStanding(): void {
  if (isRoot()) note(text(`Warning: ${asRoot.en}.`, `警告: ${asRoot.ja}。`));
}

/** Opens the project that the client reports, and tells the person which one. */
async function openIn(
  folders: readonly string[],
  present: Checkpoint,
  flags: Flags,
  options: Options,
): Promise<Checkpoint | undefined> {
  const settings = settingsIn(folders, flags, present.settings);
  if (!settings) return undefined;
  const [from, to] = [present.settings, settings].map(({ roots }) =>
    roots.map(({ path }) => path).join(', '),
  );
  note(
    text(
      `The client works in ${to}, so that is served in place of ${from}.`,
      `クライアントの作業フォルダーに合わせ、${from} に代えて ${to} を提供します。`,
    ),
  );
  return openServed(settings, options);
}

async function serveOverHttp(settings: Settings, flags: Flags, options: Options): Promise<number> {
  const { host, port } = addressOf(options.http, settings);
  const checkpoint = await openServed(settings, options);
  const server = await serveHttp(checkpoint, { host, port, onFault: logFault }).catch(
    async (error: unknown) => {
      await checkpoint.close();
      throw listenProblem(error, host, port);
    },
  );
  const forgetAddress = await begin(checkpoint, server.address, flags, options).catch(
    async (error: unknown) => {
      // An open listener would keep the process alive, and a probe would find it healthy.
      await server.close();
      await checkpoint.close();
      // The machine failed, not a call.
      throw error instanceof ToolError ? new Error(error.message, { cause: error }) : error;
    },
  );
  noteStanding();
  const told = untilTold();
  await told.signal;
  note(
    text('Stopping: running calls get up to 10 s.', '停止しています。実行中の呼び出しは最大 10 秒待ちます。'),
  );
  told.forget();
  forgetAddress?.();
  server.drain();
  if (settings.http.drainMs > 0) await sleep(settings.http.drainMs);
  await server.close();
  await checkpoint.close(limits.stopGraceMs);
  return 0;
}

/** Tells the person here how to connect; returns a function that removes the note of the address. */
async function begin(
  checkpoint: Checkpoint,
  address: { readonly host: string; readonly port: number },
  flags: Flags,
  options: Options,
): Promise<(() => void) | undefined> {
  const { settings } = checkpoint;
  const { welcome } = await import('./welcome.ts');
  const outside = outsideOf();
  const seen = outside?.address ?? address;
  await welcome(checkpoint, seen, pasted(flags, settings, options), outside?.where ?? placeFlags(flags));
  await warnOfRules(checkpoint);
  const { noteAddress } = await import('../console.ts');
  return settings.http.console ? noteAddress(settings.stateFolder, seen) : undefined;
}

async function warnOfRules(checkpoint: Checkpoint): Promise<void> {
  // The check loads the judge of commands, for which the first list would wait.
  if (!checkpoint.settings.rules.some(({ tool }) => tool !== undefined)) return;
  const { settings } = checkpoint;
  if (settings.rules.length === 0) return;
  const { noteRuleWarnings } = await import('./rule-warnings.ts');
  noteRuleWarnings(await (await checkpoint.policy()).warnings(), settings.locale);
}

/** How a client starts this very server itself. */
function pasted(flags: Flags, settings: Settings, options: Options): StdioServer {
  const outside = outsideOf();
  if (outside) return outside.stdio;
  const { args, env } = repeatSettings(flags, settings);
  const role = options.as === undefined ? [] : ['--as', String(options.as)];
  const server = ownCommand(['serve', ...args, ...role]);
  return Object.keys(env).length === 0 ? server : { ...server, env };
}

/** The variables are often set for the whole machine: if they are invalid, the server runs without traces. */
function wantedTraces(): TraceSettings | undefined {
  try {
    return tracesOf(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(
      text(
        `Warning: calls are not traced: ${error.text.en}`,
        `警告: 呼び出しのトレースを送りません: ${error.text.ja}`,
      ),
    );
    return undefined;
  }
}

/** One JSON line on stderr; in `serve`, stdout belongs to the protocol. */
function logFault(error: unknown): void {
  const words = error instanceof Error ? withCauses(error) : String(error);
  note(
    encodeVisibly({
      time: new Date().toISOString(),
      level: 'error',
      message: withoutSecrets(words.slice(0, 4000)).slice(0, 2000),
    }),
  );
}

/** The stack, and the cause behind the message that a caller got. */
function withCauses({ stack, message, cause }: Error): string {
  return [stack ?? message, cause instanceof Error ? `Cause: ${cause.message}` : ''].join('\n').trim();
}

/** Turns a failure to listen into an error that the operator can fix; returns other errors unchanged. */
function listenProblem(error: unknown, host: string, port: number): unknown {
  const words = problems[errnoCode(error) as keyof typeof problems];
  if (words === undefined) return error;
  return new ConfigError(
    text(
      `Nothing can listen at ${host}:${port}: ${words.en}.`,
      `${host}:${port} で待ち受けできません: ${words.ja}。`,
    ),
    { cause: error },
  );
}

const problems = {
  EADDRINUSE: text(
    'another program is using it. Stop it, or choose another port with `--http PORT`',
    '別のプログラムが使用中です。それを止めるか、`--http PORT` で別のポートを指定してください',
  ),
  EADDRNOTAVAIL: text(
    'this machine has no such address. Choose one of its own with `--http HOST:PORT`',
    'このマシンにそのアドレスはありません。`--http HOST:PORT` でこのマシンのアドレスを指定してください',
  ),
  EACCES: text(
    'this user is not allowed to use the port. Choose one above 1023 with `--http PORT`',
    'このユーザーには、そのポートを使う権限がありません。`--http PORT` で 1024 以上を指定してください',
  ),
  ENOTFOUND: text(
    'the host name is unknown. You can give an address with `--http HOST:PORT`',
    'ホスト名が見つかりません。`--http HOST:PORT` にはアドレスも指定できます',
  ),
} as const;

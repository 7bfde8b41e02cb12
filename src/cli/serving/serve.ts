import { setTimeout as sleep } from 'node:timers/promises';
import { type Checkpoint, serveHttp } from '../../checkpoint/index.ts';
import { loadSettings } from '../../config/load.ts';
import { outsideOf } from '../../config/places/outside.ts';
import { placeFlags, repeatSettings } from '../../config/repeat.ts';
import type { Flags, Settings } from '../../config/settings.ts';
import { ConfigError, ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { ownCommand } from '../common/own-command.ts';
import { note } from '../common/say.ts';
import { askAll } from '../resident/sessions.ts';
import { addressOf } from './address.ts';
import {
  type ClientPlace,
  faultTeller,
  noteAtStart,
  noteStanding,
  openServed,
  serveClient,
  settingsOfClient,
  warnOfRules,
} from './client-session.ts';
import { keepMemorySteady } from './steady-memory.ts';
import { untilTold } from './stop.ts';
import type { StdioServer } from './welcome.ts';

type Options = Readonly<Record<string, unknown>>;

/** Serves until the client leaves or the process is told to stop; calls in flight are answered first. */
export async function serve(flags: Flags, options: Options): Promise<number> {
  keepMemorySteady();
  const place: ClientPlace = {
    flags,
    options,
    cwd: process.cwd(),
    environment: process.env,
    tell: note,
    open: (settings) => openServed(settings, place),
  };
  const loaded = options.http === undefined ? settingsOfClient(place) : loadSettings(flags);
  const settings =
    options.console === false ? { ...loaded, http: { ...loaded.http, console: false } } : loaded;
  return options.http === undefined ? serveOverStdio(settings, place) : serveOverHttp(settings, place);
}

async function serveOverStdio(settings: Settings, place: ClientPlace): Promise<number> {
  const stop = new AbortController();
  const served = await serveClient(place, settings, { signal: stop.signal });
  const told = untilTold();
  await Promise.race([served.closed, told.signal]);
  told.forget();
  stop.abort();
  // Sends the last replies before their sources are closed.
  await served.closed;
  await served.close(limits.stopGraceMs);
  return 0;
}

async function serveOverHttp(settings: Settings, place: ClientPlace): Promise<number> {
  const { flags, options } = place;
  noteAtStart(settings, place);
  const { host, port } = addressOf(options.http, settings);
  const checkpoint = await openServed(settings, place);
  const shared = () => askAll({ kind: 'list' });
  const server = await serveHttp(checkpoint, { host, port, onFault: faultTeller(note), shared }).catch(
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
  noteStanding(note);
  const told = untilTold();
  await told.signal;
  note('Stopping: running calls get up to 10 s.', '停止しています。実行中の呼び出しは最大 10 秒待ちます。');
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
  await warnOfRules(checkpoint, note);
  const { noteAddress } = await import('../console.ts');
  return settings.http.console ? noteAddress(settings.stateFolder, seen) : undefined;
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

/** Turns a failure to listen into an error that the operator can fix; returns other errors unchanged. */
function listenProblem(error: unknown, host: string, port: number): unknown {
  const words = problems[errnoCode(error) as keyof typeof problems];
  if (words === undefined) return error;
  return new ConfigError(
    `Nothing can listen at ${host}:${port}: ${words.en}.`,
    `${host}:${port} で待ち受けできません: ${words.ja}。`,
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

import { mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { noteOf } from './socket.ts';

/** How to start the server if none answers. */
export interface StartServer {
  readonly script: string;
  readonly flags: readonly string[];
}

/** A server that this process has started. */
interface Started {
  readonly hasEnded: boolean;
  /** It answers: its end no longer concerns us. */
  forget(): void;
}

/** Connects to the server, and starts it if there is none: once, however many hooks come at the same time. */
export async function connectTo(socket: string, start: StartServer | undefined): Promise<Socket> {
  const endMs = performance.now() + startMs;
  let started: Started | undefined;
  for (;;) {
    const connection = await tryConnect(socket);
    if (connection) {
      started?.forget();
      return connection;
    }
    if (!start) throw new Error('no server answers');
    if (performance.now() > endMs || started?.hasEnded)
      throw new Error(lastWords(socket) || `no server answers after ${startMs / 1000} s`);
    started ??= await startOnce(socket, start);
    await setTimeout(betweenMs);
  }
}

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A client's own sandbox: the permitted command runs inside it and must reach us.
      if (['EPERM', 'EACCES'].includes(error.code ?? ''))
        reject(
          new Error(
            `a sandbox around this command keeps it from our server (${error.message}); for Codex, let it by network_access, as \`sekisho init --client codex --hooks\` says`,
          ),
        );
      else if (['ENOENT', 'ECONNREFUSED', 'EAGAIN'].includes(error.code ?? '')) resolve(undefined);
      else reject(error);
    });
  });
}

/**
 * Whether this process starts the server, or becomes it: the process that creates the note does, unless a server
 * answers by then. A start that took too long is tried again.
 */
export async function isOursToStart(socket: string): Promise<boolean> {
  const note = noteOf(socket);
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
  try {
    writeSync(openSync(note, 'wx', 0o600), String(process.pid));
  } catch {
    // Another process was first.
    const atMs = statSync(note, { throwIfNoEntry: false })?.mtimeMs;
    if (atMs !== undefined && Date.now() - atMs > startMs) rmSync(note, { force: true });
    return false;
  }
  // Another server may have started between the check and the note.
  const there = await tryConnect(socket);
  if (!there) return true;
  there.destroy();
  rmSync(note, { force: true });
  return false;
}

async function startOnce(socket: string, { script, flags }: StartServer): Promise<Started | undefined> {
  if (!(await isOursToStart(socket))) return undefined;
  const { spawn } = await import('node:child_process');
  const log = openSync(`${socket}.log`, 'w', 0o600);
  const server = spawn(process.execPath, [script, 'hook-server', '--socket', socket, ...flags], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  const onExit = () => {
    started.hasEnded = true;
    // The next hook tries again: the configuration may be mended by then.
    rmSync(noteOf(socket), { force: true });
  };
  // By the time a server dies that has answered, the note is another starter's.
  const started = { hasEnded: false, forget: () => void server.off('exit', onExit) };
  server.once('exit', onExit);
  server.unref();
  return started;
}

/** Why the server did not start, from its log. */
function lastWords(socket: string): string {
  try {
    return readFileSync(`${socket}.log`, 'utf8').trim().split('\n').slice(-3).join(' ').slice(0, 500);
  } catch {
    return '';
  }
}

/** Long enough for a start, short enough for a caller that waits for a refusal. */
const startMs = 10_000;
const betweenMs = 10;

import { chmodSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Flags } from '../../config/settings.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { untilTold } from '../serving/stop.ts';
import { answerEvent, answerRequest } from './answer.ts';
import { isOursToStart } from './connect.ts';
import { HookProjects } from './projects.ts';
import { listenQuickly } from './quick-server.ts';
import { maxEventBytes, noteOf, permitFor, quickSocketOf, socketOf } from './socket.ts';

/**
 * Serves the hooks of clients on a socket of this user, until it has been idle for a while. A hook without a runtime
 * names no socket: it knows neither of changes since it was made nor of servers that other hooks started.
 */
export async function serveHooks(flags: Flags, options: { readonly socket?: string }): Promise<number> {
  if (options.socket !== undefined) return serveAt(options.socket, flags);
  const [script, config] = [process.argv[1] ?? '', flags.config ?? ''];
  const socket = socketOf(['--config', config], script);
  try {
    if (!(await isOursToStart(socket))) return 0;
    return await serveAt(socket, flags);
  } finally {
    // The start failed: waiting processes can stop waiting and read the log.
    for (const each of [socket, quickSocketOf(config, script)]) rmSync(noteOf(each), { force: true });
  }
}

async function serveAt(socket: string, flags: Flags): Promise<number> {
  // By its whole path: a client's shell may have another PATH.
  const projects = new HookProjects(flags, (permit, command) =>
    [process.execPath, process.argv[1] ?? '', 'run', '--permit', permitFor(socket, permit), '--', command]
      .map(shellQuote)
      .join(' '),
  );
  // Wrong settings stop the start with their own message.
  const { locale } = (await projects.at(process.cwd())).checkpoint.gateway;
  const connections = new Set<Socket>();
  let usedAtMs = performance.now();
  const hold = (connection: Socket) => {
    usedAtMs = performance.now();
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  };
  const server = createServer((connection) => {
    hold(connection);
    serveOne(connection, (words, signal) => answerRequest(words, { projects, locale, signal }));
  });
  const forget = await listen(server, socket);
  const forgetQuick = await listenQuickly({
    flags,
    socket,
    hold,
    listen,
    decide: (event) => answerEvent(event, { projects, locale }),
  });
  const told = untilTold();
  await Promise.race([
    told.signal,
    untilIdle(async () => {
      const open = (await projects.all()).reduce((sum, { gate }) => sum + gate.openCalls(), 0);
      return open + connections.size > 0 ? 0 : usedAtMs;
    }),
  ]);
  told.forget();
  forget();
  forgetQuick();
  server.close();
  for (const connection of connections) connection.destroy();
  await projects.close();
  return 0;
}

/** Replaces an existing socket atomically: one that a killed server left does not answer. */
export async function listen(server: ReturnType<typeof createServer>, path: string): Promise<() => void> {
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(own, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(own, resolve);
  });
  chmodSync(own, 0o600);
  const { ino } = statSync(own);
  renameSync(own, path);
  rmSync(noteOf(path), { force: true });
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
}

function serveOne(connection: Socket, answer: (words: string, signal: AbortSignal) => Promise<string>): void {
  const gone = new AbortController();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isAsked = false;
  connection.on('error', () => gone.abort());
  connection.on('close', () => gone.abort());
  connection.on('data', (chunk: Buffer) => {
    if (isAsked) return;
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxEventBytes * 2) connection.destroy();
    if (!chunk.includes(newline)) return;
    isAsked = true;
    void answer(Buffer.concat(chunks).toString('utf8'), gone.signal).then(
      (words) => connection.end(words),
      () => connection.destroy(),
    );
  });
}

async function untilIdle(lastMs: () => Promise<number>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setInterval(async () => {
      const last = await lastMs();
      if (last === 0 || performance.now() - last < idleMs) return;
      clearInterval(timer);
      resolve();
    }, 60_000).unref();
  });
}

const newline = 10;
const idleMs = 30 * 60_000;

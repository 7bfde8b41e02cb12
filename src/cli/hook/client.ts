import { mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orElse } from '../../ground/or-else.ts';
import type { Said } from '../../hooks/event.ts';
import { endWithClient } from './end-with-client.ts';
import { hooksSocketOf, lastWordsOf, maxEventBytes, noteOf, readPermit } from './socket.ts';

/**
 * The program that a client starts for each use of a tool, where the one without a runtime does not serve. It knows
 * nothing of tools: it forwards the event and prints the answer. A person waits for its start, so it imports little.
 */
export async function hook([client = '', ...args]: readonly string[]): Promise<number> {
  const script = process.argv[1] ?? '';
  const socket = hooksSocketOf(script);
  let event = '';
  const decide = async () => {
    event = (await readAll(process.stdin)).toString('utf8');
    const request = `${client}\0${JSON.stringify(args)}\0${process.cwd()}\0${event}`;
    // A server of an earlier build leaves the socket to the next one, which answers.
    const answer = (await ask(socket, script, request)) ?? (await ask(socket, script, request));
    if (!answer) throw new Error(ended);
    return print(answer);
  };
  const exitCode = await decide().catch(refuse);
  return exitCode === refused && isOver(event) ? failed : exitCode;
}

async function ask(socket: string, script: string, request: string): Promise<Said | undefined> {
  const connection = await connectTo(socket, script);
  connection.end(request);
  const answer = await readAll(connection);
  if (answer.length < 12 || answer.length !== 12 + answer.readUInt32LE(8)) return undefined;
  const [exitCode, stream] = [answer.readUInt32LE(0), answer.readUInt32LE(4)];
  const words = answer.toString('utf8', 12);
  return { exitCode, stdout: stream === 1 ? words : '', stderr: stream === 1 ? '' : words };
}

/** After a turn a client would take a refusal as an order to continue, or discard the person's words. */
function isOver(event: string): boolean {
  // An unreadable event is refused.
  return orElse(() => {
    const name = (JSON.parse(event) as { hook_event_name?: unknown } | null)?.hook_event_name;
    return ofTurns.has(String(name));
  }, false);
}

const ofTurns = new Set([
  ...['Stop', 'UserPromptSubmit', 'SessionEnd', 'AfterAgent', 'BeforeAgent'],
  ...['stop', 'beforeSubmitPrompt', 'sessionEnd'],
]);

/** Runs the command that a hook permitted, with its exit code. */
export async function runPermitted([, words = '', , ...command]: readonly string[]): Promise<number> {
  const named = readPermit(words);
  try {
    if (!named) throw new Error('this is no permit');
    endWithClient();
    const socket = await connectTo(named.socket);
    const request = { kind: 'run', permit: named.permit, command: command.join(' '), folder: process.cwd() };
    socket.write(`${JSON.stringify(request)}\n`);
    const answer = (await readAll(socket)).toString('utf8');
    if (answer === '') throw new Error(ended);
    return print(JSON.parse(answer) as Said);
  } catch (error) {
    return refuse(error);
  }
}

function print({ stdout, stderr, exitCode }: Said): number {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

/** Connects to a server that runs or starts. With `script`, one process of those that come at once starts it. */
export async function connectTo(path: string, script?: string): Promise<Socket> {
  const note = noteOf(path);
  const endMs = performance.now() + startMs;
  for (let starts = script === undefined; performance.now() < endMs; await sleep(betweenMs)) {
    const waits = isStarting(note);
    const socket = await tryConnect(path);
    if (socket) return socket;
    if (waits) continue;
    // Nobody starts it any more.
    if (starts) break;
    starts = true;
    await start(path, script ?? '');
  }
  throw new Error((script !== undefined && lastWordsOf(path)) || 'no server answers');
}

/** Resolves with undefined if nothing listens there. */
export function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', ({ code = '', message }: NodeJS.ErrnoException) => {
      // A client's own sandbox: the permitted command runs inside it and must reach us.
      if (['EPERM', 'EACCES'].includes(code))
        reject(
          new Error(
            `a sandbox around this command keeps it from our server (${message}); for Codex, let it by network_access, as \`sekisho init --client codex --hooks\` says`,
          ),
        );
      else if (['ENOENT', 'ECONNREFUSED', 'EAGAIN'].includes(code)) resolve(undefined);
      else reject(new Error(message));
    });
  });
}

/** The server removes the note when it listens, and when it gives up. */
async function start(path: string, script: string): Promise<void> {
  const note = noteOf(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(note, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process was first.
    return;
  }
  const { spawn } = await import('node:child_process');
  const log = openSync(`${path}.log`, 'w', 0o600);
  const server = spawn(process.execPath, [script, 'resident', '--hooks', path], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  server.once('error', () => rmSync(note, { force: true }));
  server.once('exit', () => rmSync(note, { force: true }));
  server.unref();
}

/** A start that took too long is tried again. */
function isStarting(note: string): boolean {
  const atMs = statSync(note, { throwIfNoEntry: false })?.mtimeMs;
  if (atMs === undefined) return false;
  if (Date.now() - atMs <= startMs) return true;
  rmSync(note, { force: true });
  return false;
}

async function readAll(stream: NodeJS.ReadStream | Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxEventBytes) throw new Error(`more than ${maxEventBytes} bytes came`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuse(error: unknown): number {
  const why = error instanceof Error ? error.message : String(error);
  const isJapanese = /^ja/i.test(process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '');
  process.stderr.write(
    isJapanese
      ? `Sekisho が判断できないため、何も許可しません: ${why}。\`sekisho doctor\` で状態を確認できます。\n`
      : `Sekisho could not decide, so the call is refused: ${why}. \`sekisho doctor\` says what works here.\n`,
  );
  return refused;
}

const ended = 'the server ended before it answered';
/** The exit status that every client reads as a refusal; any other failure may be ignored. */
const refused = 2;
const failed = 1;
/** Long enough for a start, short enough for a caller that waits for a refusal. */
const startMs = 10_000;
const betweenMs = 10;

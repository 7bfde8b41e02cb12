import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Said } from '../../hooks/event.ts';
import { connectTo, type StartServer } from './connect.ts';
import { endWithClient } from './end-with-client.ts';
import { type HookRequest, maxEventBytes, noteOf, quickSocketOf, readPermit, socketOf } from './socket.ts';

/**
 * The program that a client starts for each use of a tool. It knows nothing of tools: it forwards the event and prints
 * the answer. A person waits for its start, so it imports little.
 */
export async function hook([client = '', ...flags]: readonly string[]): Promise<number> {
  const script = process.argv[1] ?? '';
  let event = '';
  const decide = async () => {
    event = await readAll(process.stdin);
    return ask(
      socketOf(flags, script),
      { kind: 'event', client, event, folder: process.cwd() },
      { script, flags },
    );
  };
  const exitCode = await decide()
    .catch(refuse)
    // A hook without a runtime created the note, and became this one.
    .finally(() => rmSync(noteOf(quickSocketOf(flags[1] ?? '', script)), { force: true }));
  return exitCode === refused && isOver(event) ? failed : exitCode;
}

/** After a turn a client would take a refusal as an order to continue, or discard the person's words. */
function isOver(event: string): boolean {
  try {
    const name = (JSON.parse(event) as { hook_event_name?: unknown } | null)?.hook_event_name;
    return ofTurns.has(String(name));
  } catch {
    // An unreadable event is refused.
    return false;
  }
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
    const { socket, permit } = named;
    endWithClient();
    const folder = process.cwd();
    return await ask(socket, { kind: 'run', permit, command: command.join(' '), folder }, undefined);
  } catch (error) {
    return refuse(error);
  }
}

async function ask(path: string, request: HookRequest, start: StartServer | undefined): Promise<number> {
  const { stdout, stderr, exitCode } = await askServer(path, request, start);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

/** Sends a request to the server, and starts one if `start` says how. */
export async function askServer(
  path: string,
  request: HookRequest,
  start: StartServer | undefined,
): Promise<Said> {
  const socket = await connectTo(path, start);
  const told = readAll(socket);
  socket.write(`${JSON.stringify(request)}\n`);
  return readAnswer(await told);
}

function readAnswer(words: string): Said {
  try {
    return JSON.parse(words) as Said;
  } catch {
    throw new Error('the server ended before it answered');
  }
}

async function readAll(stream: NodeJS.ReadStream | Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxEventBytes) throw new Error(`more than ${maxEventBytes} bytes came`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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

/** The exit status that every client reads as a refusal; any other failure may be ignored. */
const refused = 2;
const failed = 1;

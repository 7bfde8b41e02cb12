import { ConfigError } from '../../contract/error.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import { jsonOf } from '../../ground/or-else.ts';
import { adapterFor, adapters } from '../../hooks/adapters.ts';
import { HookInputError, type Said } from '../../hooks/event.ts';
import type { Gate, RunRequest } from '../../hooks/gate.ts';
import { notRun, shownAsShell } from './shell.ts';

/** An event as a client's hook forwards it. */
export interface EventRequest {
  readonly client: string;
  /** The arguments of the hook after its client. */
  readonly args: readonly string[];
  /** The folder in which the client started the hook. */
  readonly folder: string;
  readonly event: string;
}

/** A project that hooks are decided for. */
export interface HookProject {
  readonly gate: Gate;
  /** The folder is not a project, and the person leaves the client's tools alone there. */
  readonly isLeft: boolean;
}

/** Finds the project that decides. */
interface Projects {
  of(session: string, request: EventRequest): Promise<HookProject>;
}

/** The request in the words of a hook, which ends them by closing its half; undefined if they are none. */
export function readEvent(words: string): EventRequest | undefined {
  const [, client, given, folder, event] =
    /^([a-z]+)\0(\[[^\0]*\])\0(\/[^\0]*)\0([\s\S]*)$/.exec(words) ?? [];
  if (client === undefined || given === undefined || folder === undefined || event === undefined)
    return undefined;
  const args = jsonOf(given);
  return Array.isArray(args) ? { client, args: args.map(String), folder, event } : undefined;
}

/** For a hook: the exit status, the stream that the client then reads, and the text for it. */
export function inBytes({ stdout, stderr, exitCode }: Said): Buffer {
  const words = Buffer.from(exitCode === 0 ? stdout : stderr);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(exitCode, 0);
  head.writeUInt32LE(exitCode === 0 ? 1 : 2, 4);
  head.writeUInt32LE(words.length, 8);
  return Buffer.concat([head, words]);
}

/** The answer to one event: a refusal if anything fails. */
export async function answerEvent(request: EventRequest, projects: Projects, locale: Locale): Promise<Said> {
  try {
    const given = jsonOf(request.event);
    if (given === undefined) throw new HookInputError(request.event.trim() === '' ? nothing : notJson);
    return await decided(given, request, projects);
  } catch (error) {
    const known = error instanceof HookInputError || error instanceof ConfigError ? error.text : undefined;
    if (!known) process.stderr.write(`${String(error)}\n`);
    const said = `Sekisho: ${(known ?? problem)[locale]}`;
    return adapters.get(request.client)?.refuse?.(said) ?? { stdout: '', stderr: `${said}\n`, exitCode: 2 };
  }
}

async function decided(given: unknown, request: EventRequest, projects: Projects): Promise<Said> {
  const adapter = adapterFor(request.client, given);
  if (!adapter) throw new HookInputError(noClient(request.client));
  const { gate, isLeft } = await projects.of(sessionIn(given), request);
  if (isLeft) return adapter.say({ kind: 'nothing' }, given);
  const event = adapter.read(given);
  if (event.kind === 'before') {
    const client = { name: adapter.name, version: 'hook' };
    return adapter.say(await gate.before(event, client), given);
  }
  if (event.kind === 'approval') return adapter.say(await gate.review(event), given);
  await gate.tell(event);
  return adapter.say({ kind: 'nothing' }, given);
}

/** Runs the command of a permit, which one of these projects gave. */
export async function answerRun(
  request: RunRequest,
  projects: readonly Pick<HookProject, 'gate'>[],
  serving: { readonly signal: AbortSignal; readonly locale: Locale },
): Promise<Said> {
  for (const { gate } of projects) {
    const reply = await gate.run(request, serving.signal);
    if (reply) return shownAsShell(reply);
  }
  return { stdout: '', stderr: `Sekisho: ${noPermit[serving.locale]}\n`, exitCode: notRun };
}

/** The conversation of an event, under each client's field name. */
function sessionIn(given: unknown): string {
  const { session_id: session, conversation_id: conversation } = Object(given) as Record<string, unknown>;
  return String(session ?? conversation ?? '');
}

const problem = text(
  'Something failed during the decision, so the call is refused.',
  '判断中に問題が起きたため、呼び出しを拒否します。',
);
const nothing = text('The hook received no event.', 'フックにイベントが届きませんでした。');
const notJson = text(
  'The hook received something that is not JSON.',
  'フックに届いたものが JSON ではありません。',
);
const noPermit = text(
  'This permit does not exist or was already used: a command runs once, as it was allowed, in the folder that was named. To use another folder, put it into the command: cd FOLDER && …',
  'その許可はないか、使用済みです。コマンドは許可されたとおりに、示されたフォルダーから 1 回だけ実行されます。別のフォルダーはコマンドの中に cd FOLDER && … と書いてください。',
);
const noClient = (name: string): Text =>
  text(
    `${JSON.stringify(name.slice(0, 40))} is not a client whose hooks are supported: ${[...adapters.keys()].join(', ')}.`,
    `${JSON.stringify(name.slice(0, 40))} のフックには対応していません。対応しているのは ${[...adapters.keys()].join('、')} です。`,
  );

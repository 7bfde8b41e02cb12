import { type Locale, text } from '../../contract/text/text.ts';
import { adapterOf, adapters } from '../../hooks/adapters.ts';
import { HookInputError, type Said } from '../../hooks/event.ts';
import type { HookProject } from './projects.ts';
import { notRun, shownAsShell } from './shell.ts';
import type { EventRequest, HookRequest } from './socket.ts';

/** Finds the project that decides. */
interface Projects {
  of(session: string, folder: string): Promise<Pick<HookProject, 'gate' | 'isLeft'>>;
  all(): Promise<readonly Pick<HookProject, 'gate'>[]>;
}

interface Serving {
  readonly projects: Projects;
  readonly locale: Locale;
  /** Aborts when the sender is gone. */
  readonly signal: AbortSignal;
}

/** The answer to one request, as its sender prints it. */
export async function answerRequest(line: string, serving: Serving): Promise<string> {
  let client = '';
  const said = await orRefusal(
    serving,
    async () => {
      const request = JSON.parse(line) as HookRequest;
      if (request.kind === 'run') return ran(request, serving);
      client = request.client;
      return decided(request, serving);
    },
    () => client,
  );
  return JSON.stringify(said);
}

/** The answer to one event. */
export function answerEvent(event: EventRequest, serving: Omit<Serving, 'signal'>): Promise<Said> {
  return orRefusal(
    serving,
    () => decided(event, serving),
    () => event.client,
  );
}

async function orRefusal(
  { locale }: { locale: Locale },
  decide: () => Promise<Said>,
  whose: () => string,
): Promise<Said> {
  try {
    return await decide();
  } catch (error) {
    const words = error instanceof HookInputError ? error.text[locale] : problem[locale];
    if (!(error instanceof HookInputError)) process.stderr.write(`${String(error)}\n`);
    const said = `Sekisho: ${words}`;
    return adapters.get(whose())?.refuse?.(said) ?? { stdout: '', stderr: `${said}\n`, exitCode: 2 };
  }
}

async function decided(request: EventRequest, { projects }: Omit<Serving, 'signal'>): Promise<Said> {
  const given = parse(request.event);
  const adapter = adapterOf(request.client, given);
  if (!adapter) throw new HookInputError(noClient(request.client));
  const { gate, isLeft } = await projects.of(sessionIn(given), request.folder);
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

async function ran(request: HookRequest & { kind: 'run' }, serving: Serving): Promise<Said> {
  for (const { gate } of await serving.projects.all()) {
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

function parse(event: string): unknown {
  try {
    return JSON.parse(event);
  } catch {
    throw new HookInputError(event.trim() === '' ? nothing : notJson);
  }
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
const noClient = (name: string) =>
  text(
    `${JSON.stringify(name.slice(0, 40))} is not a client whose hooks are supported: ${[...adapters.keys()].join(', ')}.`,
    `${JSON.stringify(name.slice(0, 40))} のフックには対応していません。対応しているのは ${[...adapters.keys()].join('、')} です。`,
  );

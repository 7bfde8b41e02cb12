import { AsyncLocalStorage } from 'node:async_hooks';
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { cleanText } from '../../contract/text/clean-text.ts';
import type { BaseContext } from '../../contract/tool/tool.ts';
import { unlessAborted } from '../../ground/abort.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { cleanWords, hidesWords } from './words.ts';

/** Questions of a server to the person of the call that it is processing. */
export interface Elicitations {
  /** Runs a request of a call, during which the server may ask the call's person. */
  during<T>(context: BaseContext, work: () => Promise<T>): Promise<T>;
  /** Opens a connection outside the call, so that later messages on it are not attributed to that call. */
  outside<T>(work: () => T): T;
  /** Whether a person has an open question of this call's session. */
  isOpen(context: BaseContext): boolean;
  /** Whether a question was cancelled since this call began because its call was unknown. */
  hasMissed(context: BaseContext): boolean;
  ask(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
}

interface Session {
  readonly id: string;
  readonly calls: Set<BaseContext>;
  /** Questions that its person has not answered yet. */
  open: number;
  asked: number;
  /** The last question; a person gets one at a time. */
  last: Promise<unknown>;
}

interface Held {
  readonly form: Form;
  readonly answer: (result: ElicitResult | Promise<ElicitResult>) => void;
}

type Form = Parameters<NonNullable<BaseContext['elicit']>>[0];

const maxMessageChars = 4000;
const maxSchemaChars = 20_000;
/** More questions in one call are not a sensible dialogue. */
const maxQuestions = 20;

/**
 * A question reaches the session whose call the server is processing, and no other. Over HTTP it arrives in the
 * response to that call. Over stdio nothing identifies the call, so it must be the only one. If calls of several
 * sessions run, the question waits until one session is left, and from then on sessions take turns at this server.
 */
export function createElicitations(server: string): Elicitations {
  const requests = new AsyncLocalStorage<BaseContext | undefined>();
  const sessions = new Map<string, Session>();
  const held: Held[] = [];
  const line: { readonly id: string; readonly enter: () => void }[] = [];
  const missed = new WeakSet<BaseContext>();
  /** The server sends questions without naming a call. */
  let asks = false;
  /** It sends several questions in one call, so an open question does not mean that the next one is another call's. */
  let asksAtOnce = false;

  function sessionOf({ caller: { sessionId: id } }: BaseContext): Session {
    const session = sessions.get(id) ?? { id, calls: new Set(), open: 0, asked: 0, last: Promise.resolve() };
    sessions.set(id, session);
    return session;
  }

  /** The sessions whose calls may ask next: a call that waits for an answer sends none. */
  function working(): readonly Session[] {
    return [...sessions.values()].filter(({ open, calls }) => asksAtOnce || open < calls.size);
  }

  /** The only session that can have asked, by the running calls. */
  function onlyOne(): Session | undefined {
    const [first, ...others] = sessions.size > 1 ? working() : sessions.values();
    return others.length > 0 ? undefined : first;
  }

  async function put(session: Session, form: Form, own?: BaseContext): Promise<ElicitResult> {
    session.asked += 1;
    if (session.asked > maxQuestions) return cancel;
    session.open += 1;
    const shown = session.last.then(() => show(session, form, own));
    session.last = shown;
    try {
      return await shown;
    } finally {
      session.open -= 1;
      settle();
    }
  }

  async function show({ calls }: Session, form: Form, own?: BaseContext): Promise<ElicitResult> {
    const context = [...(own ? [own] : calls)].find(({ elicit, signal }) => elicit && !signal.aborted);
    // The call may have ended while the question waited.
    if (!context?.elicit || !calls.has(context)) return cancel;
    try {
      return (await unlessAborted(context.elicit(form), context.signal)) as ElicitResult;
    } catch {
      return cancel;
    }
  }

  /** Delivers questions that can be attributed now, and starts calls that may run now. */
  function settle(): void {
    if (sessions.size === 0) for (const { answer } of held.splice(0)) answer(cancel);
    for (let session = onlyOne(); session && held[0]; session = onlyOne()) {
      const { form, answer } = held[0];
      held.shift();
      answer(put(session, form));
    }
    // If every call waits for an answer, none will end, so cancel a question.
    const open = (session: Session) => (asksAtOnce ? 0 : session.open);
    const calls = working().reduce((sum, session) => sum + session.calls.size - open(session), 0);
    if (held.length > 0 && held.length >= calls) {
      for (const session of sessions.values()) for (const call of session.calls) missed.add(call);
      held.pop()?.answer(cancel);
    }
    while (line[0] && mayEnter(line[0].id)) line.shift()?.enter();
  }

  function mayEnter(id: string): boolean {
    return !asks || (held.length === 0 && working().every((session) => session.id === id));
  }

  async function enter(context: BaseContext): Promise<void> {
    const { sessionId: id } = context.caller;
    const entered = Promise.withResolvers<void>();
    const place = {
      id,
      enter() {
        sessionOf(context).calls.add(context);
        entered.resolve();
      },
    };
    line.push(place);
    settle();
    try {
      await unlessAborted(entered.promise, context.signal, () => cancelled());
    } catch (error) {
      if (line.includes(place)) line.splice(line.indexOf(place), 1);
      leave(context);
      throw error;
    }
  }

  function leave(context: BaseContext): void {
    const session = sessionOf(context);
    session.calls.delete(context);
    if (session.calls.size === 0) sessions.delete(session.id);
    settle();
  }

  return {
    async during(context, work) {
      await enter(context);
      try {
        return await requests.run(context, work);
      } finally {
        leave(context);
      }
    },
    outside: (work) => requests.run(undefined, work),
    isOpen: ({ caller }) => (sessions.get(caller.sessionId)?.open ?? 0) > 0,
    hasMissed: (context) => missed.has(context),
    async ask(params, signal) {
      // A link to open is no form: it could lead anywhere.
      if (!('requestedSchema' in params)) return { action: 'decline' };
      const { requestedSchema } = params;
      if (JSON.stringify(requestedSchema).length > maxSchemaChars) return cancel;
      const schema = cleanWords(requestedSchema);
      // Names, choices and defaults are sent back unchanged; their hidden characters cannot be shown.
      if (hidesWords(schema)) return { action: 'decline' };
      const form = {
        message: `[${server}] ${cleanText(params.message).slice(0, maxMessageChars)}`,
        requestedSchema: schema as Readonly<Record<string, unknown>>,
      };
      const own = requests.getStore();
      const ownSession = own && sessions.get(own.caller.sessionId);
      if (own && ownSession?.calls.has(own)) return put(ownSession, form, own);
      asks = true;
      const session = held.length === 0 ? onlyOne() : undefined;
      if (session) {
        asksAtOnce ||= session.open >= session.calls.size;
        return put(session, form);
      }
      const { promise, resolve } = Promise.withResolvers<ElicitResult>();
      const question = { form, answer: resolve };
      held.push(question);
      settle();
      // The server withdrew the question.
      return unlessAborted(promise, signal).finally(() => {
        if (!held.includes(question)) return;
        held.splice(held.indexOf(question), 1);
        settle();
      });
    },
  };
}

const cancel: ElicitResult = { action: 'cancel' };

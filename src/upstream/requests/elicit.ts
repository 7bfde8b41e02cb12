import { AsyncLocalStorage } from 'node:async_hooks';
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { cleanText } from '../../contract/text/clean-text.ts';
import type { BaseContext } from '../../contract/tool/tool.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { unlessAborted } from '../../ground/waiting/abort.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { cleanWords, hidesWords } from './words.ts';

interface Session {
  readonly id: string;
  readonly calls: Set<BaseContext>;
  /** Questions that its person has not answered yet. */
  open: number;
  asked: number;
  /** The last question; a person gets one at a time. */
  last: Promise<unknown>;
}

type Form = Parameters<NonNullable<BaseContext['elicit']>>[0];

const maxMessageChars = 4000;
const maxSchemaChars = 20_000;
/** More questions in one call are not a sensible dialogue. */
const maxQuestions = 20;

/**
 * Questions of a server to the person of the call that it is processing, and to no other session. Over HTTP one arrives
 * in the response to that call. Over stdio nothing identifies the call, so it must be the only one. If calls of several
 * sessions run, the question waits until one session is left, and from then on sessions take turns at this server.
 */
export class Elicitations {
  readonly #server: string;
  readonly #requests = new AsyncLocalStorage<BaseContext | undefined>();
  readonly #sessions = new Map<string, Session>();
  readonly #held: { form: Form; answer: PromiseWithResolvers<ElicitResult>['resolve'] }[] = [];
  readonly #line: { readonly id: string; readonly enter: () => void }[] = [];
  readonly #missed = new WeakSet<BaseContext>();
  /** The server sends questions without naming a call. */
  #asks = false;
  /** It sends several questions in one call, so an open question does not mean that the next one is another call's. */
  #asksAtOnce = false;

  constructor(server: string) {
    this.#server = server;
  }

  /** Runs a request of a call, during which the server may ask the call's person. */
  async during<T>(context: BaseContext, work: () => Promise<T>): Promise<T> {
    await this.#enter(context);
    using _ = defer(() => this.#leave(context));
    return await this.#requests.run(context, work);
  }

  /** Opens a connection outside the call, so that later messages on it are not attributed to that call. */
  outside<T>(work: () => T): T {
    return this.#requests.run(undefined, work);
  }

  /** Whether a person has an open question of this call's session. */
  isOpen({ caller }: BaseContext): boolean {
    return (this.#sessions.get(caller.sessionId)?.open ?? 0) > 0;
  }

  /** Whether a question was cancelled since this call began because its call was unknown. */
  hasMissed(context: BaseContext): boolean {
    return this.#missed.has(context);
  }

  async ask(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    // A link to open is no form: it could lead anywhere.
    if (!('requestedSchema' in params)) return { action: 'decline' };
    const { requestedSchema } = params;
    if (JSON.stringify(requestedSchema).length > maxSchemaChars) return cancel;
    const schema = cleanWords(requestedSchema);
    // Names, choices and defaults are sent back unchanged; their hidden characters cannot be shown.
    if (hidesWords(schema)) return { action: 'decline' };
    const form = {
      message: `[${this.#server}] ${cleanText(params.message).slice(0, maxMessageChars)}`,
      requestedSchema: schema as Readonly<Record<string, unknown>>,
    };
    const own = this.#requests.getStore();
    const ownSession = own && this.#sessions.get(own.caller.sessionId);
    if (own && ownSession?.calls.has(own)) return this.#put(ownSession, form, own);
    this.#asks = true;
    const session = this.#held.length === 0 ? this.#onlyOne() : undefined;
    if (session) {
      this.#asksAtOnce ||= session.open >= session.calls.size;
      return this.#put(session, form);
    }
    const { promise, resolve } = Promise.withResolvers<ElicitResult>();
    const question = { form, answer: resolve };
    this.#held.push(question);
    this.#settle();
    // The server withdrew the question.
    return unlessAborted(promise, signal).finally(() => {
      if (!this.#held.includes(question)) return;
      this.#held.splice(this.#held.indexOf(question), 1);
      this.#settle();
    });
  }

  #sessionOf({ caller: { sessionId: id } }: BaseContext): Session {
    const known = this.#sessions.get(id);
    const fresh = { id, calls: new Set<BaseContext>(), open: 0, asked: 0, last: Promise.resolve() };
    if (!known) this.#sessions.set(id, fresh);
    return known ?? fresh;
  }

  /** The sessions whose calls may ask next: a call that waits for an answer sends none. */
  #working(): readonly Session[] {
    return [...this.#sessions.values()].filter(({ open, calls }) => this.#asksAtOnce || open < calls.size);
  }

  /** The only session that can have asked, by the running calls. */
  #onlyOne(): Session | undefined {
    const [first, ...others] = this.#sessions.size > 1 ? this.#working() : this.#sessions.values();
    return others.length > 0 ? undefined : first;
  }

  async #put(session: Session, form: Form, own?: BaseContext): Promise<ElicitResult> {
    session.asked += 1;
    if (session.asked > maxQuestions) return cancel;
    session.open += 1;
    const shown = session.last.then(() => this.#show(session, form, own));
    session.last = shown;
    try {
      return await shown;
    } finally {
      session.open -= 1;
      this.#settle();
    }
  }

  async #show({ calls }: Session, form: Form, own?: BaseContext): Promise<ElicitResult> {
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
  #settle(): void {
    if (this.#sessions.size === 0) for (const { answer } of this.#held.splice(0)) answer(cancel);
    for (let session = this.#onlyOne(); session && this.#held[0]; session = this.#onlyOne()) {
      const { form, answer } = this.#held[0];
      this.#held.shift();
      answer(this.#put(session, form));
    }
    // If every call waits for an answer, none will end, so cancel a question.
    const open = (session: Session) => (this.#asksAtOnce ? 0 : session.open);
    const calls = this.#working().reduce((sum, session) => sum + session.calls.size - open(session), 0);
    if (this.#held.length > 0 && this.#held.length >= calls) {
      for (const session of this.#sessions.values()) for (const call of session.calls) this.#missed.add(call);
      this.#held.pop()?.answer(cancel);
    }
    while (this.#line[0] && this.#mayEnter(this.#line[0].id)) this.#line.shift()?.enter();
  }

  #mayEnter(id: string): boolean {
    return !this.#asks || (this.#held.length === 0 && this.#working().every((session) => session.id === id));
  }

  async #enter(context: BaseContext): Promise<void> {
    const entered = Promise.withResolvers<void>();
    const place = {
      id: context.caller.sessionId,
      enter: () => {
        this.#sessionOf(context).calls.add(context);
        entered.resolve();
      },
    };
    this.#line.push(place);
    this.#settle();
    try {
      await unlessAborted(entered.promise, context.signal, () => cancelled());
    } catch (error) {
      if (this.#line.includes(place)) this.#line.splice(this.#line.indexOf(place), 1);
      this.#leave(context);
      throw error;
    }
  }

  #leave(context: BaseContext): void {
    const session = this.#sessionOf(context);
    session.calls.delete(context);
    if (session.calls.size === 0) this.#sessions.delete(session.id);
    this.#settle();
  }
}

const cancel: ElicitResult = { action: 'cancel' };

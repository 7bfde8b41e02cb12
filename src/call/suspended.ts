import { randomUUID } from 'node:crypto';
import type { Call, Form, FormAnswer, ToolOutput } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import type { BaseContext } from '../contract/tool/tool.ts';
import { digestOf } from '../ground/digest.ts';
import { QuestionPending } from './asking/pending.ts';
import type { Validated } from './slips.ts';

/** The parts of a call that are the same at every stop. */
type Asked = Pick<Validated, 'call' | 'caller' | 'tool' | 'input'>;

export interface SuspendedOptions {
  readonly seal: { close(id: string): string; open(state: string): string | undefined };
  /** Aborts when the server is told to stop. */
  readonly stopping: AbortSignal;
  /** How long a question waits for its answer; then the call is withdrawn from the server. */
  readonly waitMs?: number | undefined;
  /** Announces the question to other servers before the client gets it; resolves with a function that ends that. */
  readonly hold?: ((id: string) => Promise<() => void>) | undefined;
}

const defaultWaitMs = 5 * 60_000;
const maxWaiting = 100;
const maxWaitingOfOne = 8;
const prefix = 'form-';

/** One call, from its first request to the result, across all its requests. */
interface Work {
  readonly owner: string;
  readonly principal: string;
  readonly connectionId: string | undefined;
  readonly cancel: AbortController;
  readonly outcome: Promise<ToolOutput>;
  /** For the audit entry of each of its requests. */
  readonly facts: Record<string, unknown>;
  /** The request that is being answered now; undefined between two. */
  attempt:
    | { readonly call: Call; readonly base: BaseContext; readonly ask: (form: Form) => void }
    | undefined;
  asked: { readonly form: Form; readonly answer: (answer: FormAnswer) => void } | undefined;
}

interface Waiting {
  readonly work: Work;
  readonly timer: NodeJS.Timeout;
  letGo: () => void;
}

/**
 * Calls of proxied tools that wait for a person's answer, which comes with another request (MCP 2026-07-28
 * `input_required`). The server's own call keeps waiting in between, so nothing is ever run twice: an answer without a
 * waiting call is refused.
 */
export class Suspended {
  readonly #options: SuspendedOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: SuspendedOptions) {
    this.#options = options;
  }

  /** The question that the call's state names, and whether it waits here; undefined if it names none. */
  question({ questionState }: Call): { readonly id: string; readonly isHere: boolean } | undefined {
    const id = questionState === undefined ? undefined : this.#options.seal.open(questionState);
    return id?.startsWith(prefix) ? { id, isHere: this.#waiting.has(id) } : undefined;
  }

  /** Whether the call brings an answer to a waiting one. Throws `conflict` if no call waits for it. */
  resumes(validated: Asked): boolean {
    if (validated.tool.server === undefined) return false;
    const id = this.#questionOf(validated.call);
    if (id === undefined) return false;
    this.#find(id, validated);
    return true;
  }

  /** Starts the work, or continues the one that waits for this answer. Throws `QuestionPending` to ask a person. */
  async run(
    validated: Asked,
    base: BaseContext,
    work: (context: BaseContext) => Promise<ToolOutput>,
  ): Promise<ToolOutput> {
    const id = this.#questionOf(validated.call);
    if (id === undefined) return this.#attend(this.#start(validated, base, work), validated.call, base);
    const begun = this.#take(id, validated);
    const { formAnswer } = validated.call;
    const { asked } = begun;
    // A retry without an answer gets the question again.
    if (!formAnswer && asked) throw await this.#put(begun, asked.form);
    base.audit({ ...begun.facts, answers: id });
    const outcome = this.#attend(begun, validated.call, base);
    asked?.answer(formAnswer ?? { action: 'cancel' });
    return outcome;
  }

  /** The connection has ended: no answer can come. */
  leave(connectionId?: string): void {
    for (const [id, { work }] of this.#waiting)
      if (connectionId === undefined || work.connectionId === connectionId) this.#drop(id);
  }

  /** The id of the question that a call answers; undefined if it answers no server's question. */
  #questionOf({ questionState }: Call): string | undefined {
    if (questionState === undefined) return undefined;
    const id = this.#options.seal.open(questionState);
    // The state was not made here. Taken for a new call, an altered answer would run the tool a second time.
    if (id === undefined) throw notWaiting();
    return id.startsWith(prefix) ? id : undefined;
  }

  #find(id: string, validated: Asked): Waiting {
    const found = this.#waiting.get(id);
    if (!found || found.work.owner !== ownerOf(validated)) throw notWaiting();
    return found;
  }

  /** Removes the question, so that it is answered only once. */
  #take(id: string, validated: Asked): Work {
    const { work, timer, letGo } = this.#find(id, validated);
    clearTimeout(timer);
    this.#waiting.delete(id);
    letGo();
    return work;
  }

  #mayWait(work: Work): boolean {
    const ofOne = [...this.#waiting.values()].filter((each) => each.work.principal === work.principal);
    return this.#waiting.size < maxWaiting && ofOne.length < maxWaitingOfOne;
  }

  async #put(work: Work, form: Form): Promise<QuestionPending> {
    const id = `${prefix}${randomUUID()}`;
    const timer = setTimeout(() => this.#drop(id), this.#options.waitMs ?? defaultWaitMs);
    timer.unref();
    // Registered before the other servers are told, so that concurrent questions count it.
    const entry: Waiting = { work, timer, letGo: () => {} };
    this.#waiting.set(id, entry);
    work.attempt?.base.audit({ asks: id });
    // If the other servers cannot be told, an answer that reaches one of them finds nothing.
    const letGo = await this.#options.hold?.(id).catch(() => undefined);
    if (letGo && this.#waiting.has(id)) entry.letGo = letGo;
    else letGo?.();
    return new QuestionPending({ message: form.message, form, state: this.#options.seal.close(id) });
  }

  #drop(id: string): void {
    const found = this.#waiting.get(id);
    if (!found) return;
    clearTimeout(found.timer);
    this.#waiting.delete(id);
    found.letGo();
    found.work.asked?.answer({ action: 'cancel' });
    found.work.cancel.abort();
  }

  #start(validated: Asked, base: BaseContext, run: (context: BaseContext) => Promise<ToolOutput>): Work {
    const cancel = new AbortController();
    const context: BaseContext = {
      ...base,
      signal: AbortSignal.any([cancel.signal, this.#options.stopping]),
      progress: (done, total, message) => work.attempt?.base.progress(done, total, message),
      audit: (facts) => {
        Object.assign(work.facts, facts);
        work.attempt?.base.audit(facts);
      },
      meta: (facts) => work.attempt?.base.meta(facts),
      elicit: (form) =>
        new Promise((resolve) => {
          // Cancel if a question of this call is open, its request was already answered, or too many calls wait.
          if (work.asked || !work.attempt || work.attempt.call.isLeft?.() || !this.#mayWait(work))
            return resolve({ action: 'cancel' });
          const answer = (given: FormAnswer) => {
            work.asked = undefined;
            resolve(given);
          };
          work.asked = { form, answer };
          work.attempt.ask(form);
        }),
    };
    const { principal } = validated.caller;
    const work: Work = {
      owner: ownerOf(validated),
      principal,
      connectionId: validated.call.arrival.connectionId,
      cancel,
      facts: {},
      attempt: undefined,
      asked: undefined,
      // Begins when the first request listens.
      outcome: Promise.resolve().then(() => run(context)),
    };
    // Prevents an unhandled rejection while no request waits for the outcome.
    work.outcome.catch(() => {});
    return work;
  }

  /** Waits for the result or the next question, on behalf of the current request. */
  async #attend(work: Work, call: Call, base: BaseContext): Promise<ToolOutput> {
    const withdraw = () => work.cancel.abort();
    base.signal.addEventListener('abort', withdraw, { once: true });
    if (base.signal.aborted) withdraw();
    try {
      const { promise: asked, reject } = Promise.withResolvers<never>();
      work.attempt = { call, base, ask: (form) => void this.#put(work, form).then(reject, reject) };
      return await Promise.race([work.outcome, asked]);
    } finally {
      work.attempt = undefined;
      base.signal.removeEventListener('abort', withdraw);
    }
  }
}

/** The caller and its exact request: an answer fits nothing else. */
function ownerOf({ caller, tool, input, call }: Asked): string {
  const { connectionId } = call.arrival;
  return digestOf({ principal: caller.principal, tool: tool.identity ?? tool.name, input, connectionId });
}

function notWaiting(): ToolError {
  return new ToolError(
    'conflict',
    'No call is waiting for this answer: it was already answered, has expired, or belongs to another call.',
    'この回答を待つ呼び出しはありません。回答済みか、期限切れか、別の呼び出しへの回答です。',
    text(
      'The server may have carried out part of the call. Check before you send it again without requestState.',
      'サーバーが一部を実行した可能性があります。確認してから requestState なしで送り直してください。',
    ),
  );
}

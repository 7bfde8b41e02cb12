import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { cleanText } from '../../contract/text/clean-text.ts';
import type { BaseContext } from '../../contract/tool/tool.ts';
import { unlessAborted } from '../../ground/abort.ts';
import { cleanWords } from './words.ts';

/** Questions of a server to the person behind the call that it works on. */
export interface Elicitations {
  /** A call begins; returns what ends it. */
  begin(context: BaseContext): () => void;
  /** Is a person looking at a question now? */
  isOpen(): boolean;
  ask(params: ElicitRequest['params']): Promise<ElicitResult>;
}

const maxMessageChars = 4000;
const maxSchemaChars = 20_000;
/** More questions than this in one call is no dialogue any more. */
const maxQuestions = 20;

/**
 * A request of a server does not say which call it belongs to. It is passed on only where a single call is running:
 * a question must never reach somebody else's screen. Everything else is answered by a cancel, which is nobody's yes.
 */
export function createElicitations(server: string): Elicitations {
  const running = new Map<BaseContext, { asked: number; last: Promise<unknown> }>();
  let open = 0;

  async function show(context: BaseContext, form: Parameters<NonNullable<BaseContext['elicit']>>[0]) {
    // The call may have ended while the question stood in line.
    if (!context.elicit || !running.has(context) || context.signal.aborted) return cancel;
    open += 1;
    try {
      return (await unlessAborted(context.elicit(form), context.signal)) as ElicitResult;
    } catch {
      return cancel;
    } finally {
      open -= 1;
    }
  }

  return {
    isOpen: () => open > 0,
    begin(context) {
      running.set(context, { asked: 0, last: Promise.resolve() });
      return () => running.delete(context);
    },
    async ask(params) {
      const [one, ...others] = running;
      if (!one || others.length > 0 || !one[0].elicit) return cancel;
      // A link that a server wants opened is no form: it could lead anywhere.
      if (!('requestedSchema' in params)) return { action: 'decline' };
      const [context, dialogue] = one;
      dialogue.asked += 1;
      const { requestedSchema } = params;
      if (dialogue.asked > maxQuestions || JSON.stringify(requestedSchema).length > maxSchemaChars) {
        return cancel;
      }
      const message = `[${server}] ${cleanText(params.message).slice(0, maxMessageChars)}`;
      const form = {
        message,
        requestedSchema: cleanWords(requestedSchema) as Readonly<Record<string, unknown>>,
      };
      // One after the other: a person answers one question at a time.
      const shown = dialogue.last.then(() => show(context, form));
      dialogue.last = shown;
      return shown;
    },
  };
}

const cancel: ElicitResult = { action: 'cancel' };

import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { cleanText } from '../contract/clean-text.ts';
import type { BaseContext } from '../contract/tool.ts';

/** Questions of a server to the person behind the call that it works on. */
export interface Elicitations {
  /** A call begins; returns what ends it. */
  begin(context: BaseContext): () => void;
  /** Is a person looking at a question now? */
  isOpen(): boolean;
  ask(params: ElicitRequest['params']): Promise<ElicitResult>;
}

const maxMessageChars = 4000;

/**
 * A request of a server does not say which call it belongs to. It is passed on only where a single call is running:
 * a question must never reach somebody else's screen. Everything else is answered by a cancel, which is nobody's yes.
 */
export function createElicitations(server: string): Elicitations {
  const running = new Set<BaseContext>();
  let open = 0;
  return {
    isOpen: () => open > 0,
    begin(context) {
      running.add(context);
      return () => running.delete(context);
    },
    async ask(params) {
      const [context, ...others] = running;
      if (!context?.elicit || others.length > 0) return { action: 'cancel' };
      // A link that a server wants opened is no form: it could lead anywhere.
      if (!('requestedSchema' in params)) return { action: 'decline' };
      const words = cleanText(params.message).slice(0, maxMessageChars);
      open += 1;
      try {
        const answer = await context.elicit({
          message: `[${server}] ${words}`,
          requestedSchema: params.requestedSchema as unknown as Readonly<Record<string, unknown>>,
        });
        return answer as ElicitResult;
      } finally {
        open -= 1;
      }
    },
  };
}

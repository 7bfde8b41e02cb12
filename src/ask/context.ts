import type { AskEvent } from './model/events.ts';
import { TooMuchContext } from './model/failure.ts';
import type { Answer } from './model/model.ts';
import { type Fitted, fitTo, type Message } from './transcript.ts';

/** A shorter conversation is not worth sending. */
const leastChars = 2000;

/**
 * Limits a conversation to the model's context, and reports what it had to leave out. If the model's server accepts
 * less than configured, half as much is sent until it fits: token counts differ between models.
 */
export function createContext(contextChars: number, onEvent: (event: AskEvent) => void) {
  let maxChars = contextChars;
  let told = '';

  function tell({ leftOut, shortened }: Fitted): void {
    const now = `${leftOut} ${shortened}`;
    if (leftOut + shortened === 0 || now === told) return;
    told = now;
    onEvent({ type: 'shortened', left_out_messages: leftOut, shortened_results: shortened });
  }

  return {
    async answer(
      messages: readonly Message[],
      send: (messages: readonly Message[]) => Promise<Answer>,
    ): Promise<Answer> {
      for (;;) {
        const fitted = fitTo(messages, maxChars);
        tell(fitted);
        try {
          return await send(fitted.messages);
        } catch (error) {
          if (!(error instanceof TooMuchContext)) throw error;
          maxChars = lessThan(fitted.messages, messages, maxChars);
          if (maxChars < leastChars) throw error;
        }
      }
    },
  };
}

/** Halves the limit until more would be left out. */
function lessThan(sent: readonly Message[], messages: readonly Message[], maxChars: number): number {
  const size = JSON.stringify(sent).length;
  let chars = Math.min(maxChars, size);
  do chars = Math.floor(chars / 2);
  while (chars >= leastChars && JSON.stringify(fitTo(messages, chars).messages).length >= size);
  return chars;
}

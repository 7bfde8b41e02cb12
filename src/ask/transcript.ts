/** One message of a conversation, as it is kept between rounds and in a session's file. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** What the model thought aloud; goes back to it only while it works on the same question. */
      readonly reasoning?: string | undefined;
      readonly calls: readonly ModelCall[];
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
    };

/** A call of a tool as the model asked for it. */
export interface ModelCall {
  readonly callId: string;
  readonly tool: string;
  /** The arguments as the model wrote them: JSON, if it did it right. */
  readonly words: string;
}

/**
 * The newest whole turns that fit. A turn begins with a question and is never cut: an answer without its call, or a
 * call without its answer, is refused by most servers. Where the last turn alone is too long, its older results
 * are left out, each with a word that says so.
 */
export function recentTurns(messages: readonly Message[], maxChars: number): readonly Message[] {
  let chars = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    chars += charsOf(message);
    if (chars > maxChars && start < messages.length) break;
    if (message.role === 'user') start = index;
  }
  return withoutOldResults(messages.slice(start), maxChars);
}

const leftOut = '[left out to make room; call the tool again if you need it]';

function withoutOldResults(turns: readonly Message[], maxChars: number): readonly Message[] {
  let over = turns.reduce((sum, message) => sum + charsOf(message), 0) - maxChars;
  // The model has not seen what its last calls came to.
  const unseen = turns.findLastIndex((message) => message.role === 'assistant');
  return turns.map((message, index) => {
    if (over <= 0 || index > unseen || message.role !== 'tool' || message.text.length <= leftOut.length) {
      return message;
    }
    over -= message.text.length - leftOut.length;
    return { ...message, text: leftOut };
  });
}

function charsOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  return message.calls.reduce(
    (sum, call) => sum + call.tool.length + call.words.length,
    message.text.length + (message.reasoning?.length ?? 0),
  );
}

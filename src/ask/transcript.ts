/** One message of a conversation, as kept between rounds and in a session's file. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** The model's thoughts; sent back only while it works on the same question. */
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
  /** The arguments as the model wrote them, hopefully JSON. */
  readonly words: string;
}

/** The part of a conversation that is sent, and what was left out. */
export interface Fitted {
  readonly messages: readonly Message[];
  /** The number of older messages that are not sent. */
  readonly leftOut: number;
  /** The number of results that are sent shortened or empty. */
  readonly shortened: number;
}

/**
 * The newest whole turns that fit. A turn begins with a question and is never cut: most servers refuse an answer
 * without its call, or a call without its answer. If the last turn alone is too long, its older results are left out
 * first, then the results of its newest calls are cut, each with a note.
 */
export function fitTo(messages: readonly Message[], maxChars: number): Fitted {
  let chars = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    chars += charsOf(message);
    if (chars > maxChars && start < messages.length) break;
    if (message.role === 'user') start = index;
  }
  const turns = messages.slice(start);
  const fitted = cutNewResults(withoutOldResults(turns, maxChars), maxChars);
  const shortened = fitted.filter((message, index) => message !== turns[index]).length;
  return { messages: fitted, leftOut: start, shortened };
}

/** The newest turns that fit, for storage. */
export function recentTurns(messages: readonly Message[], maxChars: number): readonly Message[] {
  return fitTo(messages, maxChars).messages;
}

const leftOut = '[left out to make room; call the tool again if you need it]';

function withoutOldResults(turns: readonly Message[], maxChars: number): readonly Message[] {
  let over = sizeOf(turns) - maxChars;
  const unseen = unseenFrom(turns);
  return turns.map((message, index) => {
    if (over <= 0 || index >= unseen || message.role !== 'tool' || message.text.length <= leftOut.length)
      return message;
    over -= message.text.length - leftOut.length;
    return { ...message, text: leftOut };
  });
}

/** Cuts results that the model has not seen, longest first, and only if no older ones are left to leave out. */
function cutNewResults(turns: readonly Message[], maxChars: number): readonly Message[] {
  const over = sizeOf(turns) - maxChars;
  if (over <= 0) return turns;
  const unseen = unseenFrom(turns);
  const lengths = turns.slice(unseen).map((message) => (message.role === 'tool' ? message.text.length : 0));
  const room = Math.max(0, lengths.reduce((sum, length) => sum + length, 0) - over);
  const most = Math.max(shortestCut, levelFor(lengths, room));
  return turns.map((message, index) => {
    if (index < unseen || message.role !== 'tool' || message.text.length <= most) return message;
    const kept = message.text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
    const note = `[cut to make room; ${message.text.length} characters in all. Ask for a smaller part.]`;
    return { ...message, text: `${kept}\n${note}` };
  });
}

/** The least that a result keeps, so that the model can recognize it. */
const shortestCut = 200;

/** The length to cut results to so that all fit: shorter ones leave their room to the others. */
function levelFor(lengths: readonly number[], room: number): number {
  const rising = [...lengths].sort((a, b) => a - b);
  let left = room;
  for (const [index, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** The index of the first result after the model's last message. */
function unseenFrom(turns: readonly Message[]): number {
  return turns.findLastIndex((message) => message.role === 'assistant') + 1;
}

function sizeOf(turns: readonly Message[]): number {
  return turns.reduce((sum, message) => sum + charsOf(message), 0);
}

function charsOf(message: Message): number {
  if (message.role !== 'assistant') return message.text.length;
  return message.calls.reduce(
    (sum, call) => sum + call.tool.length + call.words.length,
    message.text.length + (message.reasoning?.length ?? 0),
  );
}

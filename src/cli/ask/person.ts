import type { Writable } from 'node:stream';
import type { AskPerson } from '../../ask/carry-out.ts';
import type { Answer } from '../../contract/call.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import type { Lines } from './lines.ts';

/** Asks the person at the terminal policy's questions, one at a time. Anything but a clear yes is a no. */
export function createAskPerson(lines: () => Lines, output: Writable, locale: Locale): AskPerson {
  let turn: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const asked = turn.then(async (): Promise<Answer> => {
      if (signal.aborted) return { action: 'cancel' };
      output.write(`\n${cleanText(question.message)}\n`);
      return answerOf(await lines().answer(prompt[locale], signal));
    });
    turn = asked;
    return asked;
  };
}

const prompt = text(
  'Allow? [y] once, [h] for an hour, [s] for this session, [N] no, or write what to do instead: ',
  '許可しますか。[y] 今回だけ、[h] 1 時間、[s] このセッション中、[N] いいえ、または代わりにすることを記入: ',
);

function answerOf(line: string | undefined): Answer {
  if (line === undefined) return { action: 'cancel' };
  const word = line.trim().normalize('NFKC').toLowerCase();
  if (['y', 'yes', 'はい'].includes(word)) return { action: 'accept', scope: 'once' };
  if (['s', 'session'].includes(word)) return { action: 'accept', scope: 'session' };
  if (['h', 'hour'].includes(word)) return { action: 'accept', scope: 'hour' };
  // A sentence is a no with instructions; a few letters may be a slip.
  return word.length > 3 ? { action: 'decline', instead: line } : { action: 'decline' };
}

import { createInterface } from 'node:readline/promises';
import { cleanText } from '../../contract/text/clean-text.ts';
import type { Text } from '../../contract/text/text.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { inLocale } from './say.ts';

/** Asks the person at the terminal; leaving, or any answer but yes, is a no. */
export async function agrees(question: Text): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  using _ = defer(() => terminal.close());
  const answer = await Promise.race([terminal.question(cleanText(inLocale(question))), left]).catch(() => '');
  return ['y', 'yes', 'はい'].includes(answer.trim().normalize('NFKC').toLowerCase());
}

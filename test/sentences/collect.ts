import { globSync, readFileSync } from 'node:fs';

/** A sentence that a reply, a note or an error can contain, with `…` for each value. */
export interface Sentence {
  readonly file: string;
  readonly words: string;
}

/** The English of all that is said by `text(en, ja)` and errors, and notes, which stand in brackets. */
export function collectSentences(folders: readonly string[]): readonly Sentence[] {
  return globSync(folders.map((folder) => `${folder}/**/*.ts`))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) => {
      const code = readFileSync(file, 'utf8');
      const starts = [
        // What a tool's description says is no reply.
        ...ends(code, /(?<!description: )\btext\(\s*(?:\/\/[^\n]*\n\s*)?(?=['"`])/g),
        ...ends(code, /\bnew ToolError\([^,`"]*,\s*(?:\/\/[^\n]*\n\s*)?(?=['"`])/g),
        ...ends(code, /\b(?:loginFailed|forbidden|conflict)\(\s*(?=['"`])/g),
        ...[...code.matchAll(/['"`](?=\[(?:[a-z]+(?: run)?:|(?:ended|gone) with))/g)].map(
          ({ index }) => index,
        ),
      ];
      return [...new Set(starts)].map((at) => ({ file, words: literalAt(code, at) }));
    });
}

function ends(code: string, pattern: RegExp): readonly number[] {
  return [...code.matchAll(pattern)].map(({ index, 0: all }) => index + all.length);
}

/** The words of a string or template that begins here. */
function literalAt(code: string, start: number): string {
  const quote = code[start];
  let words = '';
  for (let at = start + 1; at < code.length && code[at] !== quote; at++) {
    if (code[at] === '\\') {
      at += 1;
      words += code[at] === 'n' ? '' : code[at];
    } else if (quote === '`' && code.startsWith('${', at)) {
      at = endOfValue(code, at + 2);
      words += '…';
    } else words += code[at];
  }
  return words.replace(/\s+/g, ' ').trim();
}

/** Where the value in a template ends; there may be templates in it. */
function endOfValue(code: string, start: number): number {
  let depth = 1;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '`') {
      for (at += 1; at < code.length && code[at] !== '`'; at++)
        if (code[at] === '\\') at += 1;
        else if (code.startsWith('${', at)) at = endOfValue(code, at + 2);
    } else if (code[at] === '{') depth += 1;
    else if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length;
}

/** Does it claim something about effects: what was or was not done, kept, sent or lost, and what can be done about it? */
export function claims({ words }: Sentence): boolean {
  return effects.test(words);
}

const effects =
  /\bnothing (?:was|has|of|ran|changed|is)\b|\bnothing\b.*\b(?:changed|written|kept|sent|ran)\b|\bnone of\b|\bno changes?\b|\b(?:was|were|is|are|has|have|did|does) not (?:been )?(?:sent|run|kept|changed|written|started|passed|saved|taken|stored|delivered|done)\b|\bundo\b|\bback\b.*\b(?:sekisho|stood)\b|\bdiscarded\b|\bremains?\b|\b(?:run|runs|ran) again\b|\bin full\b|\bothers\b.*\bchanged\b|\bchanged by\b|\boverwritten\b|\b(?:still|never) runs?\b|\bleft out\b|\bnot kept\b|\bis gone\b|\bare gone\b|\bwas ended\b|\bended\b|\bstays\b|\bunsigned\b|\bwithout the\b.*\b(?:hooks|template)\b|\bwaits?\b.*\b(?:answer|hour)\b/i;

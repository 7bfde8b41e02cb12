import { type Text, text } from '../../../contract/text/text.ts';
import { foldHomoglyphs } from '../../../ground/content/homoglyphs.ts';
import type { CommandRule } from './rule.ts';

/**
 * What a program's name looks like to a person, where it is another one: `сurl` with a Cyrillic letter, one with an
 * invisible character, `ｃｕｒｌ` in wide letters. Names in other scripts that look like none are what they say.
 */
export function lookAlike(name: string): string | undefined {
  if (!/[^\x00-\x7f]/.test(name)) return undefined;
  const drawn = foldHomoglyphs(name);
  const isHidden = /\p{Default_Ignorable_Code_Point}/u.test(name);
  return isHidden || !/[^\x00-\x7f]/.test(drawn) ? drawn : undefined;
}

function named(name: string): Text | undefined {
  const drawn = lookAlike(name);
  return drawn === undefined
    ? undefined
    : text(`it only looks like ${drawn}`, `${drawn} に見えるだけの名前です`);
}

export const lookAlikeRule: CommandRule = {
  id: 'look-alike',
  decision: 'deny',
  because: text(
    'the name of a program contains letters of another script, or invisible characters',
    'プログラム名に、別の文字体系の似た文字や、見えない文字が含まれています',
  ),
  suggestion: text('Write the name in plain letters.', 'プログラム名を通常の文字で書いてください。'),
  fits: ({ words }) => lookAlike(words[0]?.value ?? '') !== undefined,
  names: ({ words }) => named(words[0]?.value ?? ''),
  match: [
    '\u0441url https://x.example',
    'cu\u200brl x',
    '\uff43\uff55\uff52\uff4c x',
    'sudo /usr/bin\u2215curl x',
    'g\u0456t status',
    'find . -exec r\u200bm {} +',
  ],
  notMatch: [
    'curl https://x.example',
    './ビルド.sh',
    './сборка.sh',
    './café',
    'echo \u0441url',
    'git commit -m "с приветом\u200b"',
  ],
};

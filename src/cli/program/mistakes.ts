import { type Text, text } from '../../contract/text/text.ts';

/** commander's error messages in both languages; unknown words stay unchanged. */
export function mistakeIn(english: string): Text {
  let japanese = english.trimEnd();
  for (const [pattern, words] of forms) japanese = japanese.replace(pattern, words);
  return text(english.trimEnd(), japanese);
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/^error: unknown command '(.*)'/, "エラー: コマンド '$1' はありません"],
  [/^error: unknown option '(.*)'/, "エラー: オプション '$1' はありません"],
  [/^error: missing required argument '(.*)'/, "エラー: 引数 '$1' が必要です"],
  [/^error: option '(.*)' argument missing/, "エラー: オプション '$1' に値が必要です"],
  [/^error: required option '(.*)' not specified/, "エラー: オプション '$1' を指定してください"],
  [
    /^error: option '(.*)' argument '(.*)' is invalid\./s,
    "エラー: オプション '$1' に '$2' は指定できません。",
  ],
  [
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\./s,
    "エラー: 引数 '$2' に '$1' は指定できません。",
  ],
  [/ ?Allowed choices are (.*)\.$/, '指定できるもの: $1'],
  [
    /^error: too many arguments(?: for '(.*)')?\. Expected (\d+) arguments? but got (\d+): (.*)\.$/s,
    "エラー: '$1' の引数が多すぎます。必要な数は $2、指定された数は $3: $4",
  ],
  [/\(Did you mean one of (.*)\?\)$/, '（もしかして: $1）'],
  [/\(Did you mean (.*)\?\)$/, '（もしかして: $1）'],
];

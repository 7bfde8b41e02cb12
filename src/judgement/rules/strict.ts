import { superuserPrograms } from '../../contract/superuser.ts';
import { text } from '../../contract/text/text.ts';
import { isBaseDecoder } from '../decoders.ts';
import { interpreters } from '../programs.ts';
import { readOptions } from '../words/options.ts';
import type { CommandRule, Use } from './rule.ts';

/** Refused only by the assistant's bash (document 001). */
export const strictRules: readonly CommandRule[] = [
  {
    id: 'strict-superuser',
    decision: 'deny',
    dialect: 'strict',
    programs: superuserPrograms,
    because: text('it runs as another user', '別のユーザーとして実行します'),
    suggestion: text('Run the command without it.', '使わずにコマンドを実行してください。'),
    fits: () => true,
    match: ['sudo ls', 'env sudo ls', '/bin/su', 'doas ls', "s'u'do ls", 'xargs sudo ls'],
    notMatch: ['grep -r sudo .', 'echo sudo'],
  },
  {
    id: 'eval',
    decision: 'deny',
    dialect: 'strict',
    programs: ['eval'],
    because: text(
      'eval runs text that was put together at run time',
      'eval は実行時に組み立てた文字列を実行します',
    ),
    suggestion: text('Write the command itself.', 'コマンドそのものを書いてください。'),
    fits: () => true,
    match: ['eval ls', 'e\\val ls', 'command eval ls', 'builtin eval ls'],
    notMatch: ['echo eval', 'npm run eval', 'python eval.py'],
  },
  {
    id: 'exec',
    decision: 'deny',
    dialect: 'strict',
    programs: ['exec'],
    because: text('exec replaces the shell', 'exec はシェルを置き換えます'),
    suggestion: text('Run the command without exec.', 'exec なしでコマンドを実行してください。'),
    fits: () => true,
    match: ['exec ls', 'command exec ls', 'exec 2>&1', "'exec' ls"],
    notMatch: ['npm exec tsc', 'find . -exec ls {} +', 'echo exec'],
  },
  {
    id: 'decode',
    decision: 'deny',
    dialect: 'strict',
    programs: ['base64', 'base32', 'basenc', 'openssl', 'uudecode', 'xxd', ...interpreters],
    because: text('it decodes data that nobody can read beforehand', '事前に読めないデータをデコードします'),
    suggestion: text('Write the decoded text.', 'デコード後のテキストを書いてください。'),
    fits: (use) => isBaseDecoder(use) || runsDecoded(use),
    match: [
      'xxd -r x | python3',
      'gunzip -c x | perl',
      'gzip -dc x | node -',
      'tr a-z b-za < x | python3 -',
      'base64 -d x',
      'base64 --decode',
      'base64 --dec',
      'base64 -D',
      'base64 -id',
      'base32 -d',
      'openssl base64 -d',
      'openssl enc -d -aes256',
      'xxd -r -p',
      'base64 "$x"',
      'python3 -m base64 -d x',
    ],
    notMatch: [
      'gunzip -c x | jq .',
      'gzip -dc x | python3 read.py',
      'tr a b < x | sort',
      'base64 file',
      'base64 -w0 x',
      'xxd file',
      'openssl dgst -sha256 x',
    ],
  },
];

/** Does an interpreter without a file read its program from a pipe with decoded data? */
function runsDecoded({ program, args, input }: Use): boolean {
  return (
    interpreters.includes(program) &&
    input.is('decodes') &&
    readOptions(args, { valued: 'ceEmnr' }).operands.every(
      (word) => word.value === '-' || word.prefix.startsWith('/dev/'),
    )
  );
}

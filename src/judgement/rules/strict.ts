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
    examples: ['sudo ls', 'env sudo ls', '/bin/su'],
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
    examples: ['eval ls', 'e\\val ls', 'command eval ls'],
  },
  {
    id: 'exec',
    decision: 'deny',
    dialect: 'strict',
    programs: ['exec'],
    because: text('exec replaces the shell', 'exec はシェルを置き換えます'),
    suggestion: text('Run the command without exec.', 'exec なしでコマンドを実行してください。'),
    fits: () => true,
    examples: ['exec ls', 'command exec ls', 'exec 2>&1'],
  },
  {
    id: 'decode',
    decision: 'deny',
    dialect: 'strict',
    programs: ['base64', 'base32', 'basenc', 'openssl', 'uudecode', 'xxd', ...interpreters],
    because: text('it decodes data that nobody can read beforehand', '事前に読めないデータをデコードします'),
    suggestion: text('Write the decoded text.', 'デコード後のテキストを書いてください。'),
    fits: (use) => isBaseDecoder(use) || runsDecoded(use),
    examples: ['xxd -r x | python3', 'gunzip -c x | perl', 'gzip -dc x | node -'],
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

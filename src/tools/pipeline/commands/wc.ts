import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';

/** `wc -l FILE…`. */
export const wc: Grammar = {
  command: 'wc',
  rows: [
    { flags: ['-l', '--lines'] },
    { flags: ['-w', '--words'] },
    { flags: ['-c', '--bytes'] },
    { flags: ['-m', '--chars'] },
    { flags: ['-L', '--max-line-length'] },
    { flags: ['--files0-from'], value: 'text', refused: filesFromList('wc') },
  ],
  plan: ({ options, operands }) => program('wc', [...passOptions(options), '--', ...files(operands)]),
};

/** The command itself would open the names listed in a file, without our checks. */
export function filesFromList(command: string) {
  return {
    reason: 'DISALLOWED_FLAG',
    because: text(
      `${command} takes file names as operands only.`,
      `${command} のファイル名は引数で指定してください。`,
    ),
  } as const;
}

import { text } from '../../../contract/text/text.ts';
import { shellQuote } from '../../../ground/shell-quote.ts';
import { type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';

/** `tr a-z A-Z`, `tr -d '\r'`. Reads only piped input. */
export const tr: Grammar = {
  command: 'tr',
  stopsAtOperand: true,
  rows: [
    { flags: ['-c', '-C', '--complement'] },
    { flags: ['-d', '--delete'] },
    { flags: ['-s', '--squeeze-repeats'] },
    { flags: ['-t', '--truncate-set1'] },
  ],
  plan({ options, operands }, { isFirst }) {
    const sets = operands.map((operand) => operand.text);
    if (sets.length === 0 || sets.length > 2 || isFirst) {
      const asFile = sets.length > 2 || (isFirst && sets.length > 0) ? sets.at(-1) : undefined;
      const flags = options.map(({ flag }) => `${flag} `).join('');
      const kept =
        sets.length > 2 || (isFirst && sets.length === 2 && options.length > 0) ? sets.slice(0, -1) : sets;
      throw new GuardViolation(
        'PARSE_ERROR',
        text(
          'tr takes one or two sets of characters, and reads what is piped into it.',
          'tr は 1 つまたは 2 つの文字集合を取り、パイプから読みます。',
        ),
        [
          ...(asFile !== undefined && kept.length > 0 && /[./]/.test(asFile)
            ? [
                {
                  pipeline: `tail -n +1 ${shellQuote(asFile)} | tr ${flags}${kept.map(shellQuote).join(' ')}`,
                },
              ]
            : []),
          {
            words: text(
              'Pipe a file into it: tail -n +1 FILE | tr a-z A-Z',
              'ファイルはパイプで渡してください: tail -n +1 FILE | tr a-z A-Z',
            ),
          },
        ],
      );
    }
    return program('tr', [...passOptions(options), '--', ...sets]);
  },
};

import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';

const followed = {
  reason: 'DISALLOWED_FLAG',
  because: text('tail cannot wait for more: a pipeline ends.', 'tail で追記を待つことはできません。'),
} as const;

/** `tail -n 100 FILE…`, `tail -n +5`, `tail -20`, `tail +2`. */
export const tail: Grammar = {
  command: 'tail',
  numeric: '-n',
  rows: [
    { flags: ['-n', '--lines'], value: 'text', form: /^[+-]?\d+(b|[kKMGTPE](i?B)?)?$/ },
    { flags: ['-c', '--bytes'], value: 'text', form: /^[+-]?\d+(b|[kKMGTPE](i?B)?)?$/ },
    { flags: ['-q', '--quiet', '--silent'] },
    { flags: ['-v', '--verbose'] },
    { flags: ['-z', '--zero-terminated'] },
    { flags: ['-f', '--follow'], value: 'optional', refused: followed },
    { flags: ['-F', '--retry'], refused: followed },
    { flags: ['--pid', '-s', '--sleep-interval', '--max-unchanged-stats'], value: 'text', refused: followed },
  ],
  plan({ options, operands }) {
    const [first, ...rest] = operands;
    // The old spelling of `-n +2`, valid only alone before one file.
    if (first && /^\+\d+$/.test(first.text) && options.length === 0 && rest.length < 2)
      return program('tail', ['-n', first.text, '--', ...files(rest)]);
    return program('tail', [...passOptions(options), '--', ...files(operands)]);
  },
};

import { files, type Grammar, passOptions, program } from '../grammar.ts';

/** `head -n 20 FILE…`, `head -5`, `head -c 1K`. */
export const head: Grammar = {
  command: 'head',
  numeric: '-n',
  rows: [
    { flags: ['-n', '--lines'], value: 'text', form: /^[+-]?\d+(b|[kKMGTPE](i?B)?)?$/ },
    { flags: ['-c', '--bytes'], value: 'text', form: /^[+-]?\d+(b|[kKMGTPE](i?B)?)?$/ },
    { flags: ['-q', '--quiet', '--silent'] },
    { flags: ['-v', '--verbose'] },
    { flags: ['-z', '--zero-terminated'] },
  ],
  plan: ({ options, operands }) => program('head', [...passOptions(options), '--', ...files(operands)]),
};

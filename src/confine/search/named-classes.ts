type Range = readonly [string, string];
const lower: Range = ['a', 'z'];
const upper: Range = ['A', 'Z'];
const digit: Range = ['0', '9'];

/** What `[:alpha:]` and its like hold, as first and last characters. ASCII, as in the C locale of shells. */
export const namedClasses: ReadonlyMap<string, readonly Range[]> = new Map<string, readonly Range[]>([
  ['alpha', [lower, upper]],
  ['digit', [digit]],
  ['alnum', [lower, upper, digit]],
  ['lower', [lower]],
  ['upper', [upper]],
  ['word', [lower, upper, digit, ['_', '_']]],
  ['xdigit', [digit, ['a', 'f'], ['A', 'F']]],
  [
    'punct',
    [
      ['!', '/'],
      [':', '@'],
      ['[', '`'],
      ['{', '~'],
    ],
  ],
  [
    'space',
    [
      ['\t', '\r'],
      [' ', ' '],
    ],
  ],
]);

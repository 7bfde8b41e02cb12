import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));

/** Each primitive, the spellings that stood for it elsewhere, and the files that may spell it so. */
const once: readonly (readonly [
  use: string,
  spelling: RegExp,
  because: string,
  except?: readonly string[],
])[] = [
  [
    'isInside',
    /startsWith\(`\$\{(?:\w*(?:[rR]oot|[fF]older|[hH]ome|top|on)|fromText\(\w+\))\}\/`\)/,
    'everything is inside /, which a slash behind it does not say',
  ],
  ['errnoCode', /as NodeJS\.ErrnoException\)\??\.code/, 'a thrown value need not be an error'],
  [
    'syscallNumber',
    /syscall\(process\.arch/,
    'a number that only one table has is right on both processors or on none',
  ],
  [
    'temporaryName',
    /`\.sekisho-\$\{/,
    'listings leave out the one form of temporary names',
    ['src/files/names.ts'],
  ],
];

for (const [use, spelling, because, except = []] of once) {
  test(`${use} is written once`, () => {
    const found = files.filter((file) => !except.includes(file) && spelling.test(readFileSync(file, 'utf8')));
    expect(found, because).toEqual([]);
  });
}

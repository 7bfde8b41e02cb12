import type { Grammar } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

/** `ctree_generate [PATH]`: the outline of code below PATH. */
const ctreeGenerate: Grammar = {
  command: 'ctree_generate',
  rows: [],
  plan: ({ operands }) => ({ kind: 'outline', path: atMostOne('ctree_generate', operands) ?? '.' }),
};

/** `ctree_check [FILE]`: the changes in the code since the outline in FILE was saved. */
const ctreeCheck: Grammar = {
  command: 'ctree_check',
  rows: [],
  plan: ({ operands }) => ({ kind: 'outline-check', file: atMostOne('ctree_check', operands) ?? '.ctree' }),
};

const kinds = 'class|interface|struct|enum|trait|module|function|method|constant|type|property|macro';

/** `serena_find_symbol NAME_PATH [PATH]`: definitions, one a line, `path:line:kind name_path`. */
const serenaFindSymbol: Grammar = {
  command: 'serena_find_symbol',
  rows: rowsOf('--substring|--substring-matching --kind=kinds --body|--include-body --depth=depth', {
    kinds: new RegExp(`^(${kinds})(,(${kinds}))*$`),
    depth: /^\d{1,2}$/,
  }),
  plan({ operands, has, all }) {
    const [name, ...rest] = operands;
    if (!name || name.text.replaceAll('/', '') === '')
      throw new GuardViolation(
        'PARSE_ERROR',
        'serena_find_symbol needs a name.',
        'serena_find_symbol には名前が必要です。',
        ['ctree_generate'],
      );
    const query = {
      namePath: name.text,
      below: atMostOne(`serena_find_symbol ${name.raw}`, rest) ?? '.',
      substring: has('--substring'),
      kinds: all('--kind').at(-1)?.split(',') ?? [],
      body: has('--body'),
      depth: Number(all('--depth').at(-1) ?? 0),
    };
    return { kind: 'symbols', query };
  },
};

export const codeCommands: readonly Grammar[] = [ctreeCheck, ctreeGenerate, serenaFindSymbol];

function atMostOne(command: string, operands: readonly Word[]): string | undefined {
  const [first, second] = operands;
  if (!second) return first?.text;
  throw new GuardViolation(
    'PARSE_ERROR',
    `${command} takes one path.`,
    `${command} に指定できるパスは 1 つです。`,
    [`${command} ${first?.raw ?? ''}`],
  );
}

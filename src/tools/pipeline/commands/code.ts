import { text } from '../../../contract/text/text.ts';
import type { Grammar } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import type { Word } from '../words.ts';

const kinds = 'class|interface|struct|enum|trait|module|function|method|constant|type|property|macro';

/** `ctree_generate [PATH]`: the outline of code below PATH. */
export const ctreeGenerate: Grammar = {
  command: 'ctree_generate',
  rows: [],
  plan: ({ operands }) => ({ kind: 'outline', path: atMostOne('ctree_generate', operands) ?? '.' }),
};

/** `ctree_check [FILE]`: the changes in the code since the outline in FILE was saved. */
export const ctreeCheck: Grammar = {
  command: 'ctree_check',
  rows: [],
  plan: ({ operands }) => ({ kind: 'outline-check', file: atMostOne('ctree_check', operands) ?? '.ctree' }),
};

/** `serena_find_symbol NAME_PATH [PATH]`: definitions, one a line, `path:line:kind name_path`. */
export const serenaFindSymbol: Grammar = {
  command: 'serena_find_symbol',
  rows: [
    { flags: ['--substring', '--substring-matching'] },
    { flags: ['--kind'], value: 'text', form: new RegExp(`^(${kinds})(,(${kinds}))*$`) },
    { flags: ['--body', '--include-body'] },
    { flags: ['--depth'], value: 'number', form: /^\d{1,2}$/ },
  ],
  plan({ options, operands }) {
    const [name, ...rest] = operands;
    if (!name || name.text.replaceAll('/', '') === '') {
      throw new GuardViolation(
        'PARSE_ERROR',
        text('serena_find_symbol needs a name.', 'serena_find_symbol には名前が必要です。'),
        [{ pipeline: 'ctree_generate' }],
      );
    }
    const value = (flag: string) => options.filter(({ row }) => row.flags[0] === flag).at(-1)?.value;
    return {
      kind: 'symbols',
      query: {
        namePath: name.text,
        below: atMostOne(`serena_find_symbol ${name.raw}`, rest) ?? '.',
        substring: options.some(({ row }) => row.flags[0] === '--substring'),
        kinds: value('--kind')?.split(',') ?? [],
        body: options.some(({ row }) => row.flags[0] === '--body'),
        depth: Number(value('--depth') ?? 0),
      },
    };
  },
};

function atMostOne(command: string, operands: readonly Word[]): string | undefined {
  const [first, second] = operands;
  if (second) {
    throw new GuardViolation(
      'PARSE_ERROR',
      text(`${command} takes one path.`, `${command} に指定できるパスは 1 つです。`),
      [{ pipeline: `${command} ${first?.raw ?? ''}` }],
    );
  }
  return first?.text;
}

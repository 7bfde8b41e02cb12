import type { StageArgument } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { commandOf, type OptionTable, parseOptions, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

const table: OptionTable = {
  command: 'jq',
  rows: rowsOf(
    `-n|--null-input -r|--raw-output -j|--join-output -a|--ascii-output -s|--slurp -R|--raw-input
    -c|--compact-output -C|--color-output -M|--monochrome-output -S|--sort-keys -e|--exit-status
    --tab --seq --stream --unbuffered -f|--from-file --indent=indent -L|--library-path=!modules`,
    { indent: /^[0-7]$/ },
    {
      modules: {
        reason: 'JQ_ENV',
        because: text('jq may not load modules.', 'jq でモジュールは読み込めません。'),
      },
    },
  ),
};

/** Options of jq that take two values: `--arg NAME VALUE`, `--slurpfile NAME FILE`. */
const pairs = /^--(arg|argjson|slurpfile|rawfile)$/;

/** `jq -r '.items[].name' FILE…`. It sees only its input: a stage's environment is the same on every machine. */
export const jq: Grammar = {
  ...table,
  // Words are parsed again below: the table cannot express two values after one flag.
  rows: [...table.rows, ...rowsOf('--arg --argjson --slurpfile --rawfile --args --jsonargs')],
  plan(_args, context) {
    const { given, plain, tail } = takePairs(context.words);
    const { options, operands, has } = parseOptions(table, plain);
    const [first, ...rest] = operands;
    if (!first && tail.length === 0)
      throw new GuardViolation('PARSE_ERROR', 'jq needs a filter.', 'jq にはフィルターが必要です。', [
        `jq ${[...context.words.map((word) => word.raw), '.'].join(' ')}`,
      ]);
    const written = first?.text ?? '';
    const filter = has('-f') ? context.readProgram(written) : written;
    const outside = outsideName(filter);
    if (outside)
      throw new GuardViolation(
        'JQ_ENV',
        `jq only sees its input, not ${outside}.`,
        `jq が使えるのは入力だけです (${outside} は使えません)。`,
        [
          text(
            'Give values in with --arg NAME VALUE; name files as operands.',
            '値は --arg NAME VALUE で渡し、ファイルは引数で指定してください。',
          ),
        ],
      );
    const flags = passOptions(options.filter(({ row }) => row.flags[0] !== '-f')).flatMap(apart);
    // jq would take a filter that starts with a minus for an option.
    const safe = filter.startsWith('-') ? ` ${filter}` : filter;
    return program('jq', [...flags, ...given, safe, ...files(rest), ...tail], {
      answers: has('-e') ? [0, 1, 4] : [0],
    });
  },
};

/** A name in the filter for something else than its input. A key of this name (`.env`, `{env: 1}`) is none. */
function outsideName(filter: string): string | undefined {
  const code = filter.replace(/"(?:\\.|[^"\\])*"/gs, (words) =>
    [...words.matchAll(/\\\(([^()"]*)\)/g)].map(([, inner]) => `(${inner})`).join(''),
  );
  const isKey = '(?!(?<=[{,]\\s*)\\w+\\s*[:,}])';
  const names = 'env|input_filename|import|include|modulemeta|get_search_list';
  return new RegExp(`(?<![.\\w$])${isKey}(?:${names})\\b|\\$(?:ENV|__prog_args)\\b`).exec(code)?.[0];
}

/** jq takes a value only as a separate word. */
function apart(arg: StageArgument): StageArgument[] {
  return typeof arg === 'string' && arg.startsWith('--indent=') ? ['--indent', arg.slice(9)] : [arg];
}

/** The options with two values, the other words, and `--args` with the texts after it. */
function takePairs(words: readonly Word[]) {
  const given: StageArgument[] = [];
  const plain: Word[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    if (pairs.test(word.text)) {
      const [name, value] = [words[index + 1], words[index + 2]];
      if (!name || !value || !/^[A-Za-z_]\w*$/.test(name.text))
        throw new GuardViolation(
          'PARSE_ERROR',
          `jq ${word.text} needs a name and a value.`,
          `jq ${word.text} には名前と値が必要です。`,
          [commandOf(table, [...words.slice(0, index), ...words.slice(index + 3)])],
        );
      given.push(word.text, name.text, word.text.endsWith('file') ? { file: value.text } : value.text);
      index += 2;
    } else if (word.text === '--args' || word.text === '--jsonargs') {
      const rest = words.slice(index + 1).map((other) => other.text);
      // The filter may follow it.
      const hasFilter = plain.some((other) => !other.text.startsWith('-'));
      if (!hasFilter) plain.push(...words.slice(index + 1, index + 2));
      return { given, plain, tail: [word.text, ...(hasFilter ? rest : rest.slice(1))] };
    } else plain.push(word);
  }
  return { given, plain, tail: [] };
}

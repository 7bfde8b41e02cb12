import { text } from '../../../contract/text/text.ts';
import { countedMap, isSafeArithmetic } from '../variables/arithmetic.ts';
import { assignmentRule } from '../variables/assignments.ts';
import { possibleValues } from '../variables/values.ts';
import { hasOption, readOptions } from '../words/options.ts';
import { printsSettings } from '../words/settings-file.ts';
import { isOneField, mayBeOption, type Word } from '../words/word.ts';
import type { CommandRule, Scene } from './rule.ts';

const plainName = /^[A-Za-z_]\w*$/;

/** Builtins of bash that evaluate what they are given; judged by their words. */
export const evaluationRules: readonly CommandRule[] = [
  {
    id: 'data-as-code',
    decision: 'deny',
    programs: [
      'test',
      '[',
      'printf',
      'read',
      'unset',
      'let',
      'declare',
      'typeset',
      'local',
      'export',
      'readonly',
      'mapfile',
      'readarray',
      'getopts',
      'wait',
      'expr',
      'shift',
      'return',
      'exit',
    ],
    because: text('bash would evaluate data as code here', 'bash がここでデータをコードとして評価します'),
    suggestion: text(
      'Use plain names and numbers, and quote variables; make a number of what is read: printf -v n %d "$text".',
      '単純な名前と数値を使い、変数は引用符で囲み、読み込んだ値は printf -v n %d "$text" で数値にしてください。',
    ),
    fits: (use, scene) => !use.isProgram && evaluates(use.program, use.args, scene),
    match: [
      "test -v 'a[$(id)]'",
      '[ -v "$x" ]',
      "printf -v 'a[$(id)]' x",
      "read 'a[$(id)]'",
      "unset 'a[$(id)]'",
      'read x; let "$x"',
      "declare -n x='a[$(id)]'",
      'declare -n r=PATH; r=.',
      'x=PATH; typeset -n x; x=.',
      'read x; [[ $x -eq 1 ]]',
      'read x; echo $((x))',
      'echo ${!x}',
      'echo ${x@P}',
      "[[ -v 'a[$(id)]' ]]",
      'read -r n; (( n > 1 ))',
      'mapfile -C ls -c 1 a',
      'read x; echo ${a[$x]}',
      'read x; declare -i n="$x"',
      'n=$(grep -c x *); (( n > 3 ))',
      'n=$(grep -c x "$f"); (( n > 3 ))',
      'n=$(stat -c %n f); (( n > 3 ))',
      'for n in *; do (( n > 3 )); done',
      "command test -v 'a[$(id)]'",
      'ls | xargs bash -c \'test -v "$0"\'',
    ],
    notMatch: [
      'test -f x',
      '[ "$a" = b ]',
      '[[ $? -eq 0 ]]',
      'i=0; i=$((i+1))',
      'for i in 1 2; do echo $((i*2)); done',
      'printf "%s" "$x"',
      'unset FOO',
      'read -r line',
      '[[ -v FOO ]]',
      'echo "${a[@]}" ${a[0]}',
      'declare -A m; m[$k]=1',
      'n=5; let n=n+1',
      'for ((i=0;i<3;i++)); do :; done',
      'export FOO=bar',
      '[ -z "$x" ]',
      '[ ! -d "$x" ]',
      'for i in $(seq 1 10); do echo $((i*i)); done',
      'n=$(grep -c x f); (( n > 3 ))',
      'n=$(stat -c %s "$f"); (( n > 3 ))',
      "export $(grep -v '^#' .env | xargs)",
      'read -r -p "$(date) ? " x',
      'read -r t; printf -v n %d "$t"; (( n > 3 ))',
      'ls | wc -l | xargs test 10 -lt',
    ],
  },
];

function evaluates(program: string, args: readonly Word[], scene: Scene): boolean {
  switch (program) {
    case 'test':
    case '[':
      return testEvaluates(program === '[' ? args.slice(0, -1) : args, scene);
    case 'printf': {
      const first = args[0];
      if (!first) return false;
      if (mayBeOption(first) && !isOneField(first)) return !tame(first, scene);
      const name = first.value === '-v' ? args[1] : first.prefix.startsWith('-v') ? undefined : null;
      return name !== null && !plainName.test(name?.value ?? first.value?.slice(2) ?? '');
    }
    case 'read': {
      const options = readOptions(args, { valued: 'adinNptu' });
      const values = options.given.flatMap(({ name, value }) => (value && name !== 'a' ? [value] : []));
      const isValue = (word: Word) => isOneField(word) && values.includes(word);
      return (
        badNames(options.operands.filter((word) => !isValue(word))) ||
        args.some((word) => mayBeOption(word) && !isValue(word))
      );
    }
    case 'unset':
      return args.some(
        (word) =>
          !/^'?[A-Za-z_]\w*'?\[-?\d+\]$/.test(word.text) &&
          !/^-[fvn]+$|^[A-Za-z_]\w*(\[(-?\d+|@|\*|[A-Za-z_]\w*)\])?$/.test(word.value ?? '') &&
          !/^[\w.:-]+$/.test(word.value ?? ''),
      );
    case 'let':
      return args.some((word) => {
        const inQuotes = /^'(.*)'$/s.exec(word.text)?.[1];
        const map = countedMap(inQuotes ?? '');
        if (map !== undefined && scene.variables.isMap(map)) return !scene.variables.isTame(map);
        return (
          !isSafeArithmetic(inQuotes ?? word.text, scene.variables) ||
          (word.value === undefined && !tame(word, scene))
        );
      });
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly': {
      if (program === 'export' && args.every(printsSettings)) return false;
      if (args.some((word) => mayBeOption(word) && word.value === undefined)) return true;
      const flags = args.map((word) => (/^[-+]\w/.test(word.value ?? '') ? word.value : '')).join('');
      return args.some((word) => {
        const equals = word.prefix.indexOf('=');
        const name = equals < 0 ? (word.value ?? '') : word.prefix.slice(0, equals).replace(/\+$/, '');
        if (/^[-+]/.test(name)) return false;
        if (!/^[A-Za-z_]\w*(\[\w*\])?$/.test(name) && !(/f/.test(flags) && equals < 0)) return true;
        // Whatever an integer variable gets later is evaluated too.
        if (/i/.test(flags) && !scene.variables.isTame(name)) return true;
        // A second name for PATH would be a way around what is said of PATH.
        if (program !== 'export' && /^[^+]*-[^+]*n/.test(flags)) {
          const target = equals < 0 ? '' : (word.value?.slice(equals + 1) ?? '');
          return !plainName.test(target) || assignmentRule(target, undefined) !== undefined;
        }
        if (equals < 0) return false;
        // Quoted text in brackets becomes a list, and what it holds is expanded once more.
        const isList = /^[A-Za-z_]\w*\+?=\(/.test(word.text);
        const given = word.value?.slice(equals + 1);
        if (
          !isList &&
          (given === undefined ? /[aA]/.test(flags) && !tame(word, scene) : /^\(.*[$`[]/s.test(given))
        )
          return true;
        if (/i/.test(flags))
          return !isSafeArithmetic(word.text.slice(word.text.indexOf('=') + 1), scene.variables);
        return false;
      });
    }
    case 'mapfile':
    case 'readarray': {
      const options = readOptions(args, { valued: 'dnOsuCc' });
      return options.unsure !== undefined || hasOption(options, 'C') || badNames(options.operands);
    }
    case 'getopts':
      return !plainName.test(args[1]?.value ?? '');
    case 'wait': {
      const name = readOptions(args, { valued: 'p' }).given.find((option) => option.name === 'p');
      return name !== undefined && !plainName.test(name.value?.value ?? '');
    }
    default:
      return false;
  }
}

/** `-v` evaluates a subscript, and a word that is not known may be the `-v`. */
function testEvaluates(args: readonly Word[], scene: Scene): boolean {
  return args.some((word, at) => {
    const next = args[at + 1];
    if (word.value === '-v' || word.value === '-R') {
      return (
        next !== undefined && !/^([A-Za-z_]\w*(\[(\d+|@|\*)\])?|=|==|!=|-a|-o|\))$/.test(next.value ?? '')
      );
    }
    if (word.value !== undefined || tame(word, scene)) return false;
    const values = possibleValues(word, scene.variables);
    if (values?.every((value) => !value.startsWith('-'))) return false;
    if (!isOneField(word)) return word.pieces.every((piece) => piece.kind !== 'glob');
    // Between operators it is an operand, and alone it is only asked whether it is empty.
    return next !== undefined && !isTestOperator(next) && !(at > 0 && isTestOperator(args[at - 1]));
  });
}

function isTestOperator(word: Word | undefined): boolean {
  return /^(-[a-zA-Z]|-eq|-ne|-gt|-lt|-ge|-le|-nt|-ot|-ef|=|==|!=|<|>|\))$/.test(word?.value ?? '');
}

function tame(word: Word, { variables }: Scene): boolean {
  return word.pieces.every(
    (piece) =>
      piece.kind === 'literal' ||
      (piece.kind === 'variable' && variables.isTame(piece.name)) ||
      (piece.kind === 'unknown' && piece.isNumber === true),
  );
}

function badNames(words: readonly Word[]): boolean {
  return words.some((word) => !plainName.test(word.value ?? ''));
}

/** Scripts by the grammar of the shell, to any depth; `zap` and `zip` in them only note that they ran. */
export interface Grammar {
  script(): string;
}

interface Command {
  readonly text: string;
  /** Bodies of here-documents, for after the line. */
  readonly bodies: readonly string[];
}

/** The same seed gives the same scripts. `plain` keeps to what every POSIX shell has. */
export function createGrammar(seed: number, plain = false): Grammar {
  const random = generator(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const maybe = (chance: number) => random() < chance;
  const some = (most: number, make: () => string, joint = '') =>
    Array.from({ length: below(most + 1) }, make).join(joint);
  let documents = 0;

  const script = () => {
    documents = 0;
    return `v='x y' w=3; ${plain ? '' : 'a=(p "q r"); '}set -- one 'two three'; ${list(pick([1, 2, 2, 3]))}`;
  };

  function list(depth: number): string {
    let text = '';
    let bodies: string[] = [];
    const count = 1 + below(depth > 1 ? 3 : 2);
    for (let at = 0; at < count; at++) {
      const command = item(depth);
      text += command.text;
      bodies.push(...command.bodies);
      if (at + 1 === count) break;
      const joint = pick(joints);
      const line = joint.indexOf('\n');
      text += line < 0 ? joint : `${joint.slice(0, line)}\n${bodies.join('')}${joint.slice(line + 1)}`;
      if (line >= 0) bodies = [];
    }
    return bodies.length > 0 ? `${text}\n${bodies.join('')}` : text;
  }

  function item(depth: number): Command {
    if (depth > 0 && maybe(0.3)) return { text: compound(depth - 1), bodies: [] };
    return simple(depth);
  }

  function simple(depth: number): Command {
    const bodies: string[] = [];
    const before = some(1, () => assignment(depth), ' ');
    const name = pick(names);
    const words = some(3, () => word(depth), ' ');
    const redirects = some(1, () => redirect(depth, bodies), ' ');
    const parts = maybe(0.1) ? [redirects, before, name, words] : [before, name, words, redirects];
    return { text: parts.filter((part) => part !== '').join(pick([' ', ' ', '  ', '\t', ' \\\n '])), bodies };
  }

  function compound(depth: number): string {
    const inner = () => list(depth);
    const w = () => word(depth);
    const shapes: (() => string)[] = [
      () => `if ${inner()}\nthen ${inner()}\nfi`,
      () => `if zip; then ${inner()}\nelse ${inner()}\nfi`,
      () => `while ${inner()}\ndo ${inner()}\nbreak; done`,
      () => `until zip; do ${inner()}\nbreak\ndone`,
      () => `for i in ${w()} ${w()}; do ${inner()}\ndone`,
      () => `for i\ndo ${inner()}\ndone`,
      () => `case ${w()} in ${w()}) ${inner()}\n;; (${w()}|${w()}) ${inner()}\n;; *) ${inner()}\nesac`,
      () => `{ ${inner()}\n}`,
      () => `(${inner()}\n)`,
      () => `( ${inner()}\n) > o`,
      () => `f() { ${inner()}\n}; f ${w()}`,
      () => `f() ( ${inner()}\n)\nf`,
      () => `! ${simple(0).text}`,
      () => `eval 'zap ev'`,
      () => `sh -c 'zap "$1" in' _ ${w()}`,
    ];
    if (!plain) {
      shapes.push(
        () => `[[ ${w()} == ${w()} && -n ${w()} ]]`,
        () => `[[ ! ( ${w()} != ${pick(['a*', '"$v"', '[ab]', 'x'])} ) || $w -eq 3 ]]`,
        () => `[[ $v =~ ${pick(['^x', '([a-z]+) ', '^(x|y)', '[[:space:]]', '"x y"', 'x\\ y'])} ]]`,
        () => `(( ${arithmetic(depth)} ))`,
        () => `for ((i = 0; i < 2; i++)); do ${inner()}\ndone`,
        () => `function g { ${inner()}\n}; g`,
        () => `select i in a b; do ${inner()}\nbreak; done <<< 1`,
        () => `coproc { ${inner()}\n}`,
        () => `time ${simple(0).text}`,
        () => `bash -c 'zap $(zip "$@")' _ ${w()}`,
        () => `a[${arithmetic(0)}]=${w()}`,
        () => `a=(${w()} ${w()}); zap "\${a[@]}"`,
        () => `a=([2]=${w()} [0]=x); zap "\${a[@]}"`,
        () => `declare -A m; m[${pick(['k', '"k l"', "'k'", '$v', '"$v"'])}]=${w()}; zap "\${m[@]}"`,
        () => `cat <<< ${w()}`,
        () => `let ${pick(['x=w*2', 'x+=3*w', 'x=2*3*w'])}; zap $x`,
        () => `${pick(["echo 'zap p", "printf '%s\\n' 'zap p' 'zip"])}' | bash`,
      );
    }
    return pick(shapes)();
  }

  function assignment(depth: number): string {
    const value = maybe(0.2) ? '' : word(depth);
    return pick([`v=${value}`, `x=${value}`, `x=~`, `x=a:~`, plain ? `y=${value}` : `x+=${value}`]);
  }

  function redirect(depth: number, bodies: string[]): string {
    const shapes: (() => string)[] = [
      () => '> o',
      () => '>o',
      () => '>> o',
      () => '2>&1',
      () => '2>o',
      () => '< f',
      () => '3<f',
      () => '>| o',
      () => '2>&-',
      () => document(depth, bodies),
      () => document(depth, bodies),
    ];
    if (!plain) {
      shapes.push(
        () => '&> o',
        () => '&>>o',
        () => `<<< ${word(depth)}`,
        () => '{fd}> o',
        () => `< <(${nested(depth)})`,
        () => `> >(${nested(depth)})`,
      );
    }
    return pick(shapes)();
  }

  function document(depth: number, bodies: string[]): string {
    const end = `E${documents++}`;
    const tabs = maybe(0.3);
    const isQuoted = maybe(0.3);
    const line = () => some(3, () => (isQuoted ? pick(quotedText) : inDocument(depth)), pick(['', ' ']));
    const lines = Array.from({ length: below(3) }, () => `${tabs ? '\t' : ''}${line()}\n`);
    bodies.push(`${lines.join('')}${tabs ? '\t' : ''}${end}\n`);
    const mark = isQuoted ? pick([`'${end}'`, `"${end}"`, `\\${end}`]) : end;
    return `${tabs ? '<<-' : '<<'}${pick(['', ' '])}${mark}`;
  }

  function inDocument(depth: number): string {
    return pick<() => string>([
      () => pick(quotedText),
      () => pick(['\\$v', '\\\\', '\\`', '"', "it's", '\\"', '\\n', '# no comment', '$', '\\\n']),
      () => expansion(depth, 'document'),
    ])();
  }

  function word(depth: number): string {
    if (!plain && maybe(0.06))
      return `${pick(['', '', '', '', '', '1', '{fd}', 'a', '--f=', "'1'"])}${pick('<>'.split(''))}(${nested(depth)})`;
    const count = pick([1, 1, 1, 2, 2, 3]);
    return Array.from({ length: count }, () => part(depth)).join('');
  }

  function part(depth: number): string {
    const shapes: (() => string)[] = [
      () => pick(bareText),
      () => pick(bareText),
      () => pick(escapedText),
      () => `'${pick(quotedText)}'`,
      () => `"${some(3, () => inQuotes(depth))}"`,
      () => expansion(depth, 'bare'),
      () => pick(['*', '?', '[ab]', '[!a]', '[^a]*', '[[:alpha:]]', '["a"f]', '[a-f]', '[]a]']),
    ];
    if (!plain) {
      shapes.push(
        () => pick(["$'\\x61'", "$'a\\nb'", "$'\\t'", "$'it\\'s'", "$'\\101'", '$"q"', "$'é'"]),
        () =>
          pick(['{a,b}', '{1..3}', '{a,$v}', '{a,"b c"}', "{a,'*'}", '{a,{b,c}}', '{a\\,b,c}', '{a..c}x']),
        () => pick(['1', '2', '{fd}', '9', 'a']),
      );
    }
    return pick(shapes)();
  }

  function inQuotes(depth: number): string {
    return pick<() => string>([
      () =>
        pick([
          'a',
          ' ',
          'b c',
          "it's",
          "') ; zap no ; ('",
          "\\$'",
          '*',
          '~',
          '{a,b}',
          '\\"',
          '\\$',
          '\\\\',
          '\\`',
          '\\n',
          '$',
          '\n',
          '\\\n',
          '#',
          '!',
        ]),
      () => expansion(depth, 'quotes'),
    ])();
  }

  /** An expansion; what stands around it decides what a quote in it means. */
  function expansion(depth: number, around: 'bare' | 'quotes' | 'document'): string {
    const w = () => (depth > 0 ? operand(depth - 1, around) : pick(['d', 'd e', '']));
    const p = () => pick(['x', 'x*', '?', '"x"', "'x '", '[xy]', '\\x', ' ', '$w', '\\#', '\\%', 'y']);
    const shapes: (() => string)[] = [
      () => pick(['$v', '${v}', '$w', '$1', '${2}', '$@', '$*', '$#', '$?', '$x', '${x}']),
      () => `\${${pick(['v', 'x', '1', '9'])}${pick([':-', '-', ':+', '+', ':=', '='].slice(0, 4))}${w()}}`,
      () => `\${v${pick(['#', '##', '%', '%%'])}${p()}}`,
      () => '${#v}',
      () => `$((${arithmetic(depth)}))`,
      () => `$(${nested(depth)})`,
      () => `$(${nested(depth)})`,
      () => '`zip a`',
      () => '`echo \\`zip b\\``',
      () => '`echo "$v" \\$w`',
    ];
    if (!plain) {
      shapes.push(
        () =>
          `\${v${pick(['/', '//', '/#', '/%'])}${p()}/${pick(['', 'z', '"z"', "'z'", '$w', '[&]', '\\&', 'a/b', ' '])}}`,
        () => `\${v:${pick(['1', ' -1', 'w-2', '0:2', '(1):1', '$w'])}}`,
        () =>
          pick([
            '${v^^}',
            '${v,}',
            '${v^x}',
            '${v@Q}',
            '${a[0]}',
            '${a[@]}',
            '${#a[@]}',
            '${a[1]:-z}',
            '${a[w-3]}',
            '${a[$((1))]}',
            '${!v@}',
            '${@:2}',
            '${a[*]:0:1}',
            '$[w+1]',
          ]),
      );
    }
    return pick(shapes)();
  }

  function operand(depth: number, around: 'bare' | 'quotes' | 'document'): string {
    const shapes: (() => string)[] = [
      () => pick(['d', 'd e', 'f;g', 'a}b'.replace('}', '\\}'), '', '~', '*', 'a|b', '(x)'.slice(1, 2)]),
      () => `"${pick(['d e', '', '*', '$v', "it's".replace("'", ''), '\\"'])}"`,
      () => `'${pick(['d e', 'z', '*'])}'`,
      () => pick(['\\"', '\\$', '\\\\', '\\a']),
      () => expansion(depth, around),
      () => `"$(${nested(depth)})"`,
      () => `'$(zap hid)'`,
    ];
    return Array.from({ length: pick([1, 1, 2]) }, () => pick(shapes)()).join('');
  }

  function nested(depth: number): string {
    // dash takes `$((` for arithmetic, whatever follows.
    return depth > 0 ? list(depth - 1).replace(/^\(/, ' (') : pick(['zap n', 'zip', 'echo m', 'zap "o p"']);
  }

  function arithmetic(depth: number): string {
    const term = () =>
      pick([
        '1',
        'w',
        '$w',
        '(w)',
        '2',
        '${w}',
        '0x1f',
        '${#v}',
        depth > 0 ? '$(echo 4)' : '4',
        '$((w))',
        '-w',
        '!w',
        '~w',
      ]);
    return pick([
      term,
      () => `${term()} + ${term()}`,
      () => `${term()}*${term()}`,
      () => `w > ${term()} ? ${term()} : 2`,
      () => `(${term()} - 1) % 5`,
    ])();
  }

  return { script };
}

const names = [
  ...['zap', 'zap', 'zap', 'zip', 'zip', "'zap'", '"zap"', '\\zap', "z'a'p", 'z"a"p', 'za\\\np', '""zap'],
  ...[
    'echo',
    'echo',
    'printf "[%s]"',
    ':',
    'cat',
    'true',
    'false',
    '[',
    'test',
    'export q',
    'command zap',
    'env zap',
  ],
];
const joints = [
  '; ',
  ';',
  ' && ',
  ' || ',
  '\n',
  '\n\n',
  ' | ',
  ' & ',
  ' # comment $(zap no)\n',
  ' &&\n',
  ' |\n',
  ' \\\n&& ',
];
const bareText = [
  'a',
  'b',
  'f',
  'k=l',
  '-x',
  '--',
  '~',
  '~/x',
  'x=~',
  '{',
  '}',
  '{}',
  '[',
  ']',
  '!',
  '=',
  '%',
  '@',
  ':',
  ',',
  '^',
  'a#b',
  '1',
  'if',
  'do',
  'é',
  '+',
];
const escapedText = [
  '\\;',
  '\\$',
  '\\~',
  '\\*',
  '\\ ',
  '\\"',
  "\\'",
  '\\\\',
  '\\{',
  '\\(',
  '\\<',
  '\\&',
  '\\#',
  '\\a',
  '\\\n',
  '\\`',
  '\\!',
];
const quotedText = [
  'a b',
  '',
  '$(zap no)',
  '*',
  '"',
  '\\',
  '`zap no`',
  '$v',
  '; zap no',
  '#',
  '~',
  '{a,b}',
  '<(zap no)',
  'E0',
  '>',
];

function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What repeats, between what opens and what closes it: each asks another part of the judge for more than it gives. */
const kinds: readonly (readonly [opens: string, repeats: string, closes: string])[] = [
  ...[
    ...[
      'abc ',
      "'a b' ",
      '"$x" ',
      '$x$y ',
      '$(ls) ',
      '`ls` ',
      '* ',
      '~/x ',
      '{a,b} ',
      '{a,b}',
      '${x:-y} ',
      "$'\\n' ",
    ],
    ...['>a ', '<(ls) ', '"${a[@]}" ', '$((1+1)) ', '-x ', 'A=b '],
  ].map((word) => ['ls ', word, ''] as const),
  ...[
    ...[
      'ls;',
      'x=1;',
      'x+=a;',
      'a+=(x);',
      'a[1]=2;',
      '((x+=1));',
      'let x=x+1;',
      'x=$(ls);',
      'export A=b;',
      'f a b;',
    ],
    ...[
      'if a; then b; fi;',
      'for i in a b; do ls "$i"; done;',
      'while read x; do echo "$x"; done < f;',
      '{ ls; };',
    ],
    ...[
      'case $x in a) b;; esac;',
      'f() { rm "$@"; };',
      'eval ls;',
      "sh -c 'ls; ls';",
      'cat <<< x;',
      'cat <<E\nx\nE\n',
    ],
    ...[
      'cd a;',
      'cd ..;',
      'git status;',
      '[ "$a" = b ];',
      '[[ -f a ]];',
      'coproc ls;',
      "trap 'ls' EXIT;",
      '$x a;',
    ],
    ...[
      'for x in $(git ls-files); do : > "$x.b"; done;',
      'mapfile -t a < <(ls);',
      'printf -v x %s a;',
      'ln -s a b;',
    ],
    ...['read x; ((x>1));', 'a& ', '# a b\n'],
  ].map((command) => ['', command, ''] as const),
  ['ls', '|cat', ''],
  ['ls', '|grep a', '|xargs rm'],
  ['a', '&&b', ''],
  ['a', '||b', ''],
  ['case $x in ', 'a) b;; ', 'esac'],
  ['echo $((', '1+', '1))'],
  ['echo $((', 'x+', '1))'],
  ['a=(', 'x ', '); ls "${a[@]}"'],
  ['for i in ', 'a ', '; do rm -r "$i"; done'],
  ['f() { rm "$@"; }; ', 'f a b;', 'f .'],
  ['cat <<E\n', 'line $x\n', 'E\n'],
  ['bash <<E\n', 'ls\n', 'E\n'],
  ['find . ', '-name a -o ', '-name b'],
  ['find . ', '-exec ls {} \\; ', ''],
  ['git ', '-c a=b ', 'status'],
  ['tmux ', 'a ', ''],
  ['docker run ', '-e A=b ', 'x'],
  ['parallel ls ::: ', 'a ', ''],
  ["awk '{", 'print $1;', "}'"],
  ["sed '", 's/a/b/;', "' f"],
  ["python3 -c '", 'os.system("ls");', "'"],
];

/** Scripts of any length, each of up to three kinds one after the other. The same count gives the same scripts. */
export function pathological(count: number): readonly ((bytes: number) => string)[] {
  return Array.from({ length: count }, (_, at) => {
    const parts = [kinds[at % kinds.length], ...(at < kinds.length ? [] : [kinds[(at * 7) % kinds.length]])];
    if (at >= 2 * kinds.length) parts.push(kinds[(at * 13 + 5) % kinds.length]);
    return (bytes: number) =>
      parts
        .map(([opens, repeats, closes] = ['', '', '']) => {
          const share = bytes / parts.length - opens.length - closes.length - 1;
          return opens + repeats.repeat(Math.max(1, Math.floor(share / repeats.length))) + closes;
        })
        .join('\n');
  });
}

import fc from 'fast-check';

const tokens = [
  'zap·zap·zap·zip·zap a· · · · ·\n·;·&&·||·|·&·(·)·{ · }·"·\'·\\·`·$(·)·${v:-·}·$((·))·((·<(·[[ · ]]·<<E\n·\nE\n·<<<·>o·2>&1·#·*',
  '=·v=·$v·"$v"·${v}·$·{a,b}·!· if · then · fi · case a in a) · ;; esac · for v in · do · done ·f() ·eval ·trap \'zap t\' EXIT;',
  "exec ·command ·env ·bash -c ·sh -c 'zap s'·<<-E\n·\t·$'·$\"·-·,·alias x=zap;·x ·set -- zap;·$1 ·v=zap;·printf -v v zap;·&>·|&",
  'read v <<<zap;·declare -n w=v;·${!v}·${v@P}·$[·]·a[·let ·test -v ·function ·>&o·;&·~·\\\n·time ·coproc ·select ·while ·${#v}·${v/·',
].flatMap((line) => line.split('·'));

/** Words and signs of the shell in any order: `zap` and `zip` are programs that only note that they ran. */
export function soup(): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...tokens), { minLength: 2, maxLength: 14 }).map((words) => words.join(''));
}

/** Scripts around one construct that bash has and POSIX has not, or that both have and read in their own ways. */
export function bashisms(): fc.Arbitrary<string> {
  const construct = fc.constantFrom(
    ...[
      '[[ -n a ]] && C',
      '[[ a || C ]]',
      '((1)) && C',
      '((C))',
      'C &> o',
      'C &>> o',
      'C >& o',
      'C >&2-',
      'C 10> o',
      'C {fd}> o',
      'C |& cat',
      'cat <<< C',
      'sh <<< "C"',
      'cat <(C)',
      'C > >(cat)',
      "C $'\\x61'",
      "$'C'",
      '$"C"',
      'C {a,b}',
      '{C,a}',
      'a=(C); C',
      'a[0]=C',
      'a+=C',
      'v=C; $v',
      'v=z; ${v/z/C}',
      'v=xC; ${v:1}',
      'v=C; ${v,,}',
      'v=C; w=v; ${!w}',
      'function f { C; }; f',
      'function f() { C; }; f',
      'f() { C; }; f',
      'function C; C',
      'for ((i=0; i<1; i++)); do C; done',
      'select x in a; do C; break; done <<< 1',
      'coproc C',
      'case a in a) C ;& b) C ;; esac',
      'time C',
      'time -p C',
      'time -f x C',
      'time -o o C',
      'time -- C',
      '! time C',
      'time x=y C',
      'let C',
      'echo $[C]',
      'alias x=C\nx',
      "alias x='C'\nx a",
      "v='a b=c PATH=/nowhere'; export x=$v; C",
      "v='a C'; readonly x=$v; C",
      "v='a x=C'; f() { local y=$v; $x; }; f",
      'export x="$v"; C',
      'source ./f; C',
      'exec -a x C',
      'echo C | sh',
      "echo 'C\\na' | sh",
      'printf -v v C; $v',
      'read v <<E\nC\nE\n$v',
      'set -- C; "$@"',
      'trap C EXIT',
      'trap C 0',
      'trap C ERR; false',
      'test a == a && C',
      '[ a == a ] && C',
      'echo ~+ ~-; C',
      'v=~; C $v',
      '((C) ; (C))',
      '$((1))C',
      'C#a',
      'C ; # comment\nC',
      '!(C)',
      '! C',
      '{ C; }',
      '{C;}',
      '(C)',
      'if C; then C; fi',
      'x=y C',
      'C a\\\nb',
      '`C`',
      '"`echo \\"C\\"`"',
      '$(C)',
      'C <<\\E\nC\nE',
      'C <<E\n$(C)\nE',
      'local x=C; $x',
      'declare x=C; $x',
      'type C; command C',
      'hash -p C z; z',
    ],
  );
  const command = fc
    .tuple(fc.constantFrom('zap', 'zip', '"zap"', 'za\\p'), fc.constantFrom('', ' a', ' "b c"', ' *', ' $v'))
    .map((words) => words.join(''));
  const joint = fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ');
  return fc
    .array(fc.tuple(construct, command, joint), { minLength: 1, maxLength: 3 })
    .map((parts) =>
      parts
        .map(
          ([around, inner, join], at) =>
            `${around.replaceAll('C', () => inner)}${at + 1 < parts.length ? join : ''}`,
        )
        .join(''),
    );
}

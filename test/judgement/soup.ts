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

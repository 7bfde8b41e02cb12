import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { createCommandJudge } from '../judge.ts';

const judge = createCommandJudge();

function ruleIn(workingFolder: string, script: string): string {
  const line = { kind: 'script', script, shell: 'bash' } as const;
  return judge.judge(line, { dialect: 'plain', roots: ['/srv/space'], workingFolder }).rule;
}

test.each([
  ['rm -r ./*', 'default'],
  ['rm -r .', 'default'],
  ['rm -r ../sub', 'default'],
  ['rm -r ..', 'rm-everything'],
  ['rm -r ../*', 'rm-everything'],
  ['rm -r ../../space', 'rm-everything'],
  ['rm -r /srv', 'rm-everything'],
  ['rm -r /srv/*', 'rm-everything'],
  ['cd .. && rm -r ./*', 'rm-everything'],
  ['cd ..; cd sub; rm -r ./*', 'rm-everything'],
  ['cd && rm -r ./*', 'rm-everything'],
  ['cd a; rm -r ./*', 'default'],
  [`rm -r ${homedir()}`, 'rm-everything'],
  [`rm -r ${homedir()}/x`, 'default'],
  ['cd "$(cat f)" && rm -r x', 'rm-unknown-target'],
  ['cd "$(cat f)" && rm -r /srv/space/x', 'default'],
])('in a folder of the workspace, %s is judged by where it leads: %s', (script, rule) => {
  expect(ruleIn('/srv/space/sub', script)).toBe(rule);
});

test('what a variable can hold is judged, each of its values', () => {
  expect(ruleIn('/srv/space', 'd=a; rm -r "$d"')).toBe('default');
  expect(ruleIn('/srv/space', 'd=a; [ x ] && d=/; rm -r "$d"')).toBe('rm-everything');
  expect(ruleIn('/srv/space', 'd=a; read d; rm -r -- "$d"')).toBe('rm-unknown-target');
  expect(ruleIn('/srv/space', 'd="a /"; rm -r $d')).not.toBe('default');
});

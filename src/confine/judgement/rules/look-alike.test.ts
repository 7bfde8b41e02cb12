import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCommandJudge } from '../judge.ts';
import { lookAlike } from './look-alike.ts';

const judge = createCommandJudge();
const judged = (script: string) =>
  judge.judge(
    { kind: 'script', script, shell: 'bash' },
    { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' },
  );

test('a program whose name only looks like another is refused, and the other is named', () => {
  const { decision, rule, because } = judged('\u0441url https://x.example');
  expect({ decision, rule }).toEqual({ decision: 'deny', rule: 'look-alike' });
  expect(because.en).toContain('it only looks like curl');
  expect(because.ja).toContain('curl に見えるだけの名前です');
});

test('one invisible character anywhere in a name is found', () => {
  const hidden = fc.constantFrom('\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u{e0041}', '\u3164');
  fc.assert(
    fc.property(fc.constantFrom('curl', 'rm', './deploy.sh'), fc.nat(), hidden, (name, at, character) => {
      const place = at % (name.length + 1);
      const turned = `${name.slice(0, place)}${character}${name.slice(place)}`;
      expect(lookAlike(turned)).toBe(name);
    }),
  );
});

test.each(['./ビルド.sh', './сборка', './café', './straße', './构建', './빌드', './Ω-test'])(
  '%s is what it says',
  (name) => {
    expect(lookAlike(name)).toBeUndefined();
  },
);

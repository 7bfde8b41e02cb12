import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readShellReport } from './report-words.ts';

const anyValue = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));

test.each(['bash', 'dash'])('values come back from %s as they were, whatever they hold', (shell) => {
  fc.assert(
    fc.property(
      fc.array(
        anyValue.filter((value) => value.isWellFormed()),
        { maxLength: 8 },
      ),
      (values) => {
        const env = Object.fromEntries(values.map((value, index) => [`V${index}`, value]));
        const said = execFileSync(
          shell,
          [...(shell === 'bash' ? ['--norc'] : []), '-c', 'pwd -P; printf "\\0"; export -p; printf "\\0"'],
          {
            env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', ...env },
          },
        );
        const read = readShellReport(said)?.variables;
        expect(Object.fromEntries([...(read ?? [])].filter(([name]) => /^V\d$/.test(name)))).toEqual(env);
      },
    ),
    { numRuns: 60 },
  );
});

test.each(['', '/a', '/a\0', 'a\0\0', '/a\0\0more', '/a\0x\0\0'])('%j is not whole', (words) => {
  expect(readShellReport(Buffer.from(words))).toBeUndefined();
});

test('whatever is written there is read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const read = readShellReport(
        Buffer.concat([Buffer.from('/a\0declare -x A='), bytes, Buffer.from('\0')]),
      );
      for (const name of read?.variables.keys() ?? []) expect(name).toMatch(/^[A-Za-z_]\w*$/);
    }),
  );
});

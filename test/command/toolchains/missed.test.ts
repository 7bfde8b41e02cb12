import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { missedNotes } from '../../../src/command/session/end-notes.ts';
import { text } from '../../../src/contract/text/text.ts';
import { cpuTimeMs } from '../../support/cpu-time.ts';
import { needs, sandbox } from '../../support/needs.ts';
import { createPerson } from './person.ts';

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  const person = createPerson({
    'open/bin/special': '#!/bin/sh\necho special\n',
    'home/.cargo/bin/cargo': '#!/bin/sh\ncat "$HOME/.cargo/config.toml"\n',
    'home/.cargo/config.toml': 'token',
    'home/private': '#!/bin/sh\n',
  });
  chmodSync(join(person.base, 'open'), 0o777);
  const path = `/usr/bin:/bin:${person.base}/open/bin:${person.home}`;
  afterAll(() => person.remove());

  test(
    'the first command that misses a program is told why it is not there',
    needs(sandbox(name)),
    async () => {
      const commands = person.open(name, { PATH: path });
      const note = `[toolchain: ${person.base}/open/bin is not shown: everybody can change it; the operator can list it in process.readable]`;
      expect((await commands.run('special')).stderr.split('\n').slice(1, -1)).toEqual([note]);
      expect((await commands.run('special')).stderr).not.toContain('[toolchain: ');
      const { stderr } = await commands.run(`cat ${person.home}/.cargo/config.toml`);
      expect(stderr).toContain(
        `[toolchain: ${person.home}/.cargo/config.toml is not shown: it may contain credentials`,
      );
      expect(stderr).not.toContain('[walls: ');
      // Whether it is there is nobody's business.
      expect((await commands.run('private')).stderr).not.toContain('[');
      expect((await commands.run('no-such-program')).stderr).not.toContain('[');
      await commands.close();
    },
  );

  test('what the operator lists is there', needs(sandbox(name)), async () => {
    const commands = person.open(name, { PATH: path }, { readable: [join(person.base, 'open')] });
    expect((await commands.run('special')).out).toBe('special\n');
    await commands.close();
  });
});

test.each([
  ['bash: line 1: special: command not found', true],
  ['sh: 1: special: not found', true],
  ["env: 'special': No such file or directory", true],
  ['/usr/local/bin/special: /bin/cat: No such file or directory', false],
  ['the page was not found', false],
  ['cat: /usr/bin/sort: Permission denied', true],
  ['cat: /usr/binary: No such file or directory', false],
])('of "%s" there is something to say: %s', (words, isSaid) => {
  const leftOut = [{ path: '/usr/bin', because: text('x', 'x') }];
  const names = words.replaceAll('special', 'sort');
  expect(missedNotes([names], { leftOut, told: new Set() }).length > 0).toBe(isSaid);
});

test('a long hostile output is looked through in no time', async () => {
  const leftOut = [{ path: '/a', because: text('x', 'x') }];
  const spentMs = await cpuTimeMs(() => {
    for (const words of ['/', ': a: not found\n', "env: '", '/a/', 'a'.repeat(70)]) {
      missedNotes([words.repeat(200_000)], { leftOut, told: new Set() });
    }
  });
  // A look that goes back at each character would take hours.
  expect(spentMs).toBeLessThan(5000);
});

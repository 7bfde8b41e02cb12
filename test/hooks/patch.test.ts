import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchCalls } from '../../src/hooks/patch.ts';

const at = (path = '') => `/repo/${path}`;
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

test('every file that a patch names is a call', () => {
  const words = patch(
    ...[
      '*** Add File: n/a.txt',
      '+one',
      '+two',
      '*** Update File: b.txt',
      '@@ class',
      ' keep',
      '-old',
      '+new',
    ],
    ...['*** Move to: c.txt', '*** Delete File: d.txt'],
  );
  expect(patchCalls(words, at)).toEqual([
    {
      does: 'write',
      tool: 'write_file',
      input: { path: '/repo/n/a.txt', content: 'one\ntwo\n' },
      path: '/repo/n/a.txt',
    },
    {
      does: 'write',
      tool: 'edit_file',
      input: { path: '/repo/b.txt', old_string: 'keep\nold\n', new_string: 'keep\nnew\n' },
      path: '/repo/b.txt',
    },
    { does: 'write', tool: 'write_file', input: { path: '/repo/c.txt', content: '' }, path: '/repo/c.txt' },
    { does: 'write', tool: 'write_file', input: { path: '/repo/d.txt', content: '' }, path: '/repo/d.txt' },
  ]);
});

test.each([
  '',
  'x',
  patch(),
  patch('+x'),
  patch('*** Rename File: a'),
  patch('*** Add File: a', '*** Environment: b'),
  `${patch('*** Add File: a')}\n*** Add File: /etc/x`,
  `<<EOF\n${patch('*** Add File: a')}\nEOF`,
])('%j is no patch that is known', (words) => {
  expect(patchCalls(words, at)).toBeUndefined();
});

test('a mark behind white space, which the client reads too, is never overlooked', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(' ', '\t', '  ', '\r', '\u00a0', '\u3000'),
      fc.constantFrom('Add File', 'Update File', 'Delete File', 'Move to'),
      fc.stringMatching(/^[a-z/.]{1,20}$/),
      (space, verb, path) => {
        const calls = patchCalls(patch('*** Add File: a', '+x', `${space}*** ${verb}: ${path}${space}`), at);
        expect(calls?.map((call) => 'path' in call && call.path)).toContain(`/repo/${path}`);
      },
    ),
  );
});

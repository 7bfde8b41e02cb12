import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../contract/caller.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';
import { createDesk, folderNameOf } from './desk.ts';

const callerOf = (principal: string): Caller =>
  principal === 'local'
    ? { kind: 'local', principal, sessionId: 's', remote: false }
    : { kind: 'user', principal, sessionId: 's', remote: true };

function deskAt(
  time: string,
  principal: string,
  timeZone?: string,
  layout: 'output' | 'workspace' = 'output',
) {
  const { folder } = workspace;
  return createDesk({ layout, timeZone, clock: () => Date.parse(time), folder })(callerOf(principal));
}

let workspace: Workspace;
beforeAll(() => {
  workspace = openWorkspace({ roots: [{ path: import.meta.dirname, writable: false }] });
});
afterAll(() => workspace.close());

test.each([
  ['2026-02-20T14:59:59Z', 'Asia/Tokyo', '2026-02-20'],
  ['2026-02-20T15:00:00Z', 'Asia/Tokyo', '2026-02-21'],
  ['2026-02-20T15:00:00Z', 'UTC', '2026-02-20'],
  ['2026-01-01T04:59:59Z', 'America/New_York', '2025-12-31'],
  ['2026-03-08T07:30:00Z', 'America/New_York', '2026-03-08'],
])('at %s in %s the day is %s', (time, timeZone, day) => {
  expect(deskAt(time, 'local', timeZone).ownPath).toBe(`output/${day}/user_local`);
});

test('the workspace layout has one folder for reading and writing', () => {
  const desk = deskAt('2026-02-20T00:00:00Z', 'user:ann', 'UTC', 'workspace');
  expect(desk.ownPath).toBe('.');
  expect(desk.own).toBe(desk.workspace);
});

describe('the name of a principal’s folder', () => {
  test.each([
    ['local', 'local'],
    ['user:ann', 'ann'],
    ['user:ann-2_b', 'ann-2_b'],
  ])('%s is %s', (principal, name) => {
    expect(folderNameOf(principal)).toBe(name);
  });

  test('no two share one, on file systems without case either', () => {
    const tricky = [
      'local',
      'user:local',
      'user:Local',
      'user:ann',
      'user:Ann',
      'user:ANN',
      'ann',
      'user:user:ann',
      'user:a/b',
      'user:a-b',
      'user:a_b',
      'user:a b',
      'user:..',
      'user:.',
      'user:',
      'user:あ',
      'user:い',
      'user:é',
      'user:e\u0301',
      'agent:ann',
      'anonymous',
      'user:anonymous',
      'coordinator',
      'user:coordinator',
      'user:con',
      'user:\0',
      `user:${'a'.repeat(64)}`,
      `user:${'a'.repeat(65)}`,
      `user:${'a'.repeat(66)}`,
      'user:ann.0123456789abcdef0123',
    ];
    const names = tricky.map((principal) => folderNameOf(principal).toLowerCase());
    expect(new Set(names).size).toBe(tricky.length);
  });

  test('whatever a user is called, the name is safe', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (id) => {
        expect(folderNameOf(`user:${id}`)).toMatch(/^[a-z0-9][a-z0-9_-]*(?:\.[0-9a-f]{20})?$/);
        expect(folderNameOf(`user:${id}`).length).toBeLessThan(100);
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});

test('another person’s folder is hidden from somebody behind a token, in any spelling, and one’s own is not', () => {
  const hides = deskAt('2026-02-20T00:00:00Z', 'user:ann', 'UTC').hides;
  for (const path of [
    'output/2026-02-20/user_bob',
    'output/2026-02-19/user_bob/x/y.txt',
    'Output/x/USER_bob',
    'output/x/user_Ann',
  ]) {
    expect(hides?.(path), path).toBe(true);
  }
  for (const path of [
    '.',
    'output',
    'output/2026-02-20',
    'output/2026-02-19/user_ann/a',
    'output/readme',
    'src/x/user_bob',
  ]) {
    expect(hides?.(path), path).toBe(false);
  }
  expect(deskAt('2026-02-20T00:00:00Z', 'local', 'UTC').hides).toBeUndefined();
});

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../../src/files/workspace.ts';

let root = '';
let workspace: Workspace;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'attributes-'));
  workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
});

afterEach(() => {
  workspace.close();
  rmSync(root, { recursive: true, force: true });
});

/** Access lists as the kernel has them: version 2, then tag, rights and id of each entry. */
const lists = `
import os, struct, sys
def acl(user, group, mask):
    entries = [(1, 6, -1), (2, user, 1234), (4, group, -1), (16, mask, -1), (32, 0, -1)]
    return struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *e) for e in entries)
path = sys.argv[1]
`;

import { needs } from '../support/needs.ts';

const python = (script: string) =>
  execFileSync('python3', ['-c', lists + script, join(root, 'a.txt')], { encoding: 'utf8' }).trim();

function canHaveLists(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'attributes-'));
  const path = join(folder, 'a.txt');
  writeFileSync(path, '');
  const script = `${lists}os.setxattr(path, 'system.posix_acl_access', acl(7, 0, 7)); os.setxattr(path, 'user.note', b'x')`;
  const done = spawnSync('python3', ['-c', script, path]);
  rmSync(folder, { recursive: true });
  return done.status === 0;
}

const lack = canHaveLists() ? undefined : 'no python3, or no access lists on this file system';

test(
  'a replaced file keeps its access list and notes, and gives its group nothing more',
  needs(lack),
  async () => {
    writeFileSync(join(root, 'a.txt'), 'one');
    chmodSync(join(root, 'a.txt'), 0o640);
    python(
      `os.setxattr(path, 'system.posix_acl_access', acl(7, 0, 7)); os.setxattr(path, 'user.note', b'kept')`,
    );
    const look = `print(os.getxattr(path, 'system.posix_acl_access').hex(), os.getxattr(path, 'user.note'), oct(os.stat(path).st_mode))`;
    const before = python(look);
    await workspace.folder.at('a.txt').replace('two');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two');
    expect(python(look)).toBe(before);
    await workspace.folder.at('a.txt').append(' three');
    expect(python(look)).toBe(before);
  },
);

test('what its folder would give to new files is not given to one that had it not', needs(lack), async () => {
  writeFileSync(join(root, 'a.txt'), 'one');
  chmodSync(join(root, 'a.txt'), 0o660);
  execFileSync('python3', [
    '-c',
    `${lists}os.setxattr(path, 'system.posix_acl_default', acl(7, 7, 7))`,
    root,
  ]);
  await workspace.folder.at('a.txt').replace('two');
  expect(python(`print(os.listxattr(path))`)).toBe('[]');
  expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o660);
});

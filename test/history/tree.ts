import { hash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Every path below a folder with its kind, mode and content; the pipeline's own record is left out. */
export function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (below: string) => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const path = join(below, name);
      if (path === '.shelpa') continue;
      const stat = lstatSync(join(root, path));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) tree[path] = `link ${readlinkSync(join(root, path))}`;
      else if (stat.isDirectory()) {
        tree[path] = `folder ${mode}`;
        walk(path);
      } else tree[path] = `file ${mode} ${hash('sha256', readFileSync(join(root, path)))}`;
    }
  };
  walk('');
  return tree;
}

/** A tree with the things that real ones have: bytes, modes, links, empty folders, names in other scripts. */
export function plantTree(root: string): void {
  for (const [path, mode] of [
    ['src', 0o755],
    ['src/deep/er', 0o755],
    ['空 の', 0o750],
    ['empty', 0o700],
    ['vault', 0o755],
  ] as const) {
    mkdirSync(join(root, path), { recursive: true });
    chmodSync(join(root, path), mode);
  }
  const write = (path: string, content: string | Uint8Array, mode = 0o644) => {
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  write('a.txt', 'one\ntwo\nthree\n');
  write('src/main.ts', 'export const one = 1;\n'.repeat(200), 0o640);
  write('src/run.sh', '#!/bin/sh\necho hello\n', 0o755);
  write(
    'src/deep/er/bytes.bin',
    Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256),
  );
  write('src/deep/er/nothing', '');
  write('空 の/メモ.md', '# メモ\n', 0o600);
  write('vault/note.md', '# Note\n\n- one\n');
  write('large.log', 'line of a log\n'.repeat(150_000));
  symlinkSync('../a.txt', join(root, 'src/link'));
  symlinkSync('nowhere', join(root, 'dangling'));
}

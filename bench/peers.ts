import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '.peers');

/** Installs a peer from npm beside the benchmark, once, and returns the path of one of its files. */
export function peerFile(name: string, version: string, file: string): string {
  const path = join(folder, 'node_modules', name, file);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(join(folder, 'package.json')))
      writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return path;
}

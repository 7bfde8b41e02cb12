import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A base for the Dockerfile in seconds and without a network: the packages that it names and all that they need, as this
 * Debian has them installed, with Node and npm. Returns the archive, for `podman import`.
 */
export function hostBase(folder: string, packages: readonly string[]): string {
  const root = join(folder, 'root');
  const wanted = closureOf([...essential(), 'apt', ...packages]);
  const files = execFileSync('dpkg', ['-L', ...wanted], { encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\n')
    .filter((path) => /^\/(?!\.$)/.test(path) && !unread.test(path) && existsSync(path))
    .map((path) => path.replace(/^\/(bin|sbin|lib|lib64)(?=\/)/, '/usr/$1').slice(1));
  const more = [
    'etc/alternatives',
    'etc/ssl',
    'etc/passwd',
    'etc/group',
    'etc/ld.so.cache',
    'var/lib/dpkg/info',
  ];
  writeFileSync(join(folder, 'files'), [...new Set(files)].join('\0'));
  const out = join(folder, 'base.tar');
  const tar = (...args: string[]) =>
    execFileSync('tar', ['-C', ...args], { stdio: ['ignore', 'inherit', 'ignore'] });
  tar('/', '-cf', out, '--no-recursion', '--null', '-T', join(folder, 'files'));
  tar('/', '-rf', out, ...more);

  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  mkdirSync(join(root, 'var/lib/dpkg'), { recursive: true });
  writeFileSync(join(root, 'var/lib/dpkg/status'), statusOf(new Set(wanted)));
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  const npm = join(dirname(realpathSync(whereIs('npm'))), '..');
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  tar(root, '-rf', out, '--owner=0', '--group=0', ...own);
  return out;
}

const own = [
  ...['bin', 'sbin', 'lib', 'lib64', 'var/lib/dpkg/status'],
  ...['usr/local/bin/node', 'usr/local/bin/npm', 'usr/local/bin/npx', 'usr/local/lib/node_modules'],
];

/** For people alone; and links that are made anew. */
const unread =
  /^\/(?:usr\/share\/(?:doc|man|locale|info|lintian|bug)\/.|(?:bin|sbin|lib|lib64)$|etc\/(?:ssl|alternatives|passwd|group)\b|var\/lib\/dpkg\/info$)/;

function essential(): string[] {
  const lines = execFileSync('dpkg-query', ['-W', '-f', '${Package} ${Essential}\n'], { encoding: 'utf8' });
  return lines.split('\n').flatMap((line) => (line.endsWith(' yes') ? [line.split(' ')[0] ?? ''] : []));
}

function closureOf(packages: readonly string[]): string[] {
  const not = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
    (each) => `--no-${each}`,
  );
  const args = ['depends', '--recurse', '--installed', ...not, ...packages];
  const lines = execFileSync('apt-cache', args, { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n');
  return [...new Set(lines.filter((line) => /^[a-z0-9][\w.+-]+$/.test(line)))].filter(isInstalled);
}

function isInstalled(name: string): boolean {
  return entries().get(name)?.includes('\nStatus: install ok installed\n') === true;
}

let known: ReadonlyMap<string, string> | undefined;
function entries(): ReadonlyMap<string, string> {
  const all = readFileSync('/var/lib/dpkg/status', 'utf8').split('\n\n');
  known ??= new Map(all.map((entry) => [/^Package: (.*)/.exec(entry)?.[1] ?? '', entry]));
  return known;
}

function statusOf(names: ReadonlySet<string>): string {
  return `${[...names].flatMap((name) => entries().get(name) ?? []).join('\n\n')}\n\n`;
}

function whereIs(name: string): string {
  const folder = (process.env.PATH ?? '')
    .split(':')
    .find((each) => !each.includes('node_modules') && existsSync(join(each, name)));
  if (folder === undefined) throw new Error(`There is no ${name} here.`);
  return join(folder, name);
}

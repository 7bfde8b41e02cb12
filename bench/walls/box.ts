import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** The user that servers run as where we are root. It owns nothing else on the machine. */
const servingUser = 61_718;
export const isRoot = process.getuid?.() === 0;

/** The arguments that run a program as the unprivileged user of the box. */
export function asUser(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (!isRoot) return [program, args];
  const user = [`--reuid=${servingUser}`, `--regid=${servingUser}`, '--clear-groups'];
  return ['setpriv', [...user, '--', program, ...args]];
}

/** A path with all that changes when somebody touches it. */
export type Print = ReadonlyMap<string, string>;

/**
 * A user's machine in small: a home with keys, 40 documents, and a root with a repository of 52 files, 30 files and an
 * `.env` that only the disk has. The root is put back from a copy that the user cannot reach.
 */
export class Box {
  readonly #base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-walls-')));
  readonly #copy = join(this.#base, 'kept', 'root');
  readonly folder = join(this.#base, 'box');
  readonly root = join(this.folder, 'project');
  readonly state = join(this.folder, 'state');
  readonly config = join(this.folder, 'sekisho.jsonc');
  readonly home = join(this.folder, 'home');
  #outside: Print;
  #inside: Print;
  /** The root as it was put back last. */
  #pristine: Print;

  constructor(config: object) {
    write(this.folder, {
      'home/.ssh/id_ed25519': 'a private key\n',
      'home/.ssh/authorized_keys': 'a public key\n',
      'home/.bashrc': 'PS1="$ "\n',
      'home/.profile': '. ~/.bashrc\n',
      'home/.npmrc': 'a token\n',
      'home/.gitconfig': '[user]\n\tname = Mai\n\temail = mai@example.com\n',
      'home/.aws/credentials': 'a secret\n',
      'home/.config/fish/config.fish': '\n',
      'sekisho.jsonc': JSON.stringify(config),
      ...numbered(40, (n) => [`documents/${n}.txt`, `document ${n}\n`.repeat(9)]),
    });
    write(this.root, {
      ...numbered(40, (n) => [`src/${n % 4}/module${n}.ts`, `export const value${n} = ${n};\n`.repeat(12)]),
      ...numbered(8, (n) => [`docs/page${n}.md`, `# Page ${n}\n\nWords of page ${n}.\n`]),
      'package.json': '{ "name": "box", "scripts": { "test": "true" } }\n',
      'README.md': '# Box\n',
      Makefile: 'all:\n\t@true\n',
      '.gitignore': '.env\n',
    });
    execFileSync('bash', ['-c', repository], { cwd: this.root, env: this.environment, stdio: 'pipe' });
    write(this.root, {
      ...numbered(30, (n) => [`only/note${n}.txt`, `note ${n}, which nothing else has\n`.repeat(4)]),
      '.env': 'SECRET=of the disk alone\n',
    });
    mkdirSync(this.state);
    mkdirSync(dirname(this.#copy), { mode: 0o700 });
    this.own(this.folder);
    chmodSync(this.#base, 0o755);
    execFileSync('cp', ['-a', this.root, this.#copy]);
    this.#outside = this.#look();
    this.#pristine = printOf(this.root);
    this.#inside = this.#pristine;
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      HOME: this.home,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
    };
  }

  /** The folder as it was, for comparing. */
  get before(): string {
    return this.#copy;
  }

  /** Makes the user of the box own what is below a path. */
  own(path: string): void {
    if (isRoot) execFileSync('chown', ['-hR', `${servingUser}:${servingUser}`, path]);
  }

  put(files: Readonly<Record<string, string | Uint8Array>>): void {
    write(this.root, files);
    for (const path of Object.keys(files)) {
      chmodSync(join(this.root, path), 0o755);
      if (isRoot) chownSync(join(this.root, path), servingUser, servingUser);
    }
    this.#inside = printOf(this.root);
  }

  /** Paths outside the root that are not as they were, with all that is in the folder of the box. */
  changedOutside(): readonly string[] {
    const now = this.#look();
    const changed = differing(this.#outside, now);
    this.#outside = now;
    return changed;
  }

  changedInside(): readonly string[] {
    return differing(this.#inside, printOf(this.root));
  }

  /** Puts the root back as it was. The folder itself stays: a server holds it. */
  restore(): void {
    const changed = differing(this.#pristine, printOf(this.root)).map((path) => relative(this.root, path));
    const names = [...new Set(changed.map((path) => path.split('/')[0] ?? ''))].filter((name) => name !== '');
    chmodSync(this.root, statSync(this.#copy).mode);
    for (const path of names.map((name) => join(this.root, name))) {
      // What programs made of it may not even be removed by its owner; a link is not followed.
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
        execFileSync('chmod', ['-R', 'u+rwX', path], { stdio: 'ignore' });
      rmSync(path, { recursive: true, force: true });
    }
    const lost = readdirSync(this.#copy).filter((name) => names.includes(name));
    if (lost.length > 0) execFileSync('cp', ['-a', ...lost, this.root], { cwd: this.#copy });
    this.#pristine = printOf(this.root);
  }

  remove(): void {
    execFileSync('chmod', ['-R', 'u+rwX', this.#base], { stdio: 'ignore' });
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5 });
  }

  #look(): Print {
    return printOf(this.folder, new Set([this.root, this.state]));
  }
}

/** Two branches, a commit that only a log of refs still has, and a stash. */
const repository = `set -e
git init -q -b main
git add -A
git commit -qm one
git switch -qc side && echo side > docs/side.md && git add -A && git commit -qm side && git switch -q main
echo two >> README.md && git commit -qam two
echo amended >> README.md && git commit -qa --amend -m 'two, again'
echo stashed >> README.md && git stash -q
`;

function printOf(folder: string, except: ReadonlySet<string> = new Set()): Print {
  const found = new Map<string, string>();
  const walk = (path: string) => {
    if (except.has(path)) return;
    const { ino, size, mode, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    const isFolder = (mode & 0o170000n) === 0o040000n;
    // A folder says by its names what has changed in it.
    found.set(path, isFolder ? `${mode}` : `${ino} ${size} ${mode} ${mtimeNs} ${ctimeNs}`);
    if (isFolder) for (const name of readdirSync(path)) walk(join(path, name));
  };
  walk(folder);
  return found;
}

function differing(before: Print, after: Print): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
}

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function numbered(
  count: number,
  each: (n: number) => readonly [string, string],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => each(n)));
}

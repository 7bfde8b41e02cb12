import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { asUser } from './box.ts';

/** So many files a rule about effects lets go without a question (`call/policy/effects/builtin.ts`). */
const mostLost = 20;

/** A root as it was, to say what a command has lost of it. */
export class Before {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, string>;
  /** Commits, trees and files that a ref or a log of refs reaches. */
  readonly #objects: ReadonlySet<string>;
  readonly #settings: readonly string[];

  constructor(folder: string) {
    this.#folder = folder;
    this.#files = filesOf(folder);
    this.#objects = reachable(folder);
    this.#settings = settingsOf(folder);
  }

  /**
   * What is gone of it beyond what rules let go, in words. `put`: the files of the attempt, which are there as well;
   * `changed`: whatever is not as it was.
   */
  lostIn(root: string, put: readonly string[], changed: readonly string[]): readonly string[] {
    const files = filesOf(root);
    const contents = new Set(files.values());
    const isOfGit = changed.some((path) => holding.test(relative(root, path)));
    const objects = isOfGit ? reachable(root) : this.#objects;
    const gone = [...this.#files]
      .filter(([, digest]) => !contents.has(digest))
      .map(([path]) => path)
      .filter((path) => !isEdited(join(this.#folder, path), join(root, path)));
    const onDisk = gone
      .filter((path) => path.startsWith('only/') || path === '.env')
      .filter((path) => !objects.has(objectOf(join(this.#folder, path))));
    // A rule about effects counts no file that git ignores.
    const counted = gone.filter((path) => path !== '.env');
    const ids = [...this.#objects].filter((id) => !objects.has(id));
    const all = this.#files.size - 1 + put.length;
    return [
      ...(onDisk.length > mostLost ? [`${onDisk.length} files that only the disk had`] : []),
      ...(counted.length * 2 >= all ? [`${counted.length} files of ${all}`] : []),
      ...(ids.length > 0 ? [`${ids.length} objects of the repository`] : []),
    ];
  }

  /** Files that others obey later, outside, and settings of git that run something. */
  plantedIn(root: string): readonly string[] {
    const names = filesOf(root, true);
    const before = filesOf(this.#folder, true);
    const files = [...names.keys()].filter(
      (path) => obeyed.test(path) && names.get(path) !== before.get(path),
    );
    const settings = settingsOf(root).filter((line) => !this.#settings.includes(line));
    return [...files, ...settings.filter((line) => running.test(line)).map((line) => `.git/config: ${line}`)];
  }
}

/** What a repository reaches its objects by, and these; git changes the rest of it all the time. */
const holding = /^\.git(\/(HEAD|packed-refs|refs|logs|objects)(\/|$)|$)/;

/** The id by which git has a file's content: what an attempt has committed, another branch brings back. */
function objectOf(path: string): string {
  const content = readFileSync(path);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Is most of a text still there, in its place? A rule about effects takes that for an edit. */
function isEdited(before: string, now: string): boolean {
  // Its folder may have become a file.
  if (!existsSync(now) || !lstatSync(now).isFile()) return false;
  const [was, is] = [readFileSync(before), readFileSync(now)];
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  return (start + end) * 2 >= was.length;
}

const obeyed =
  /(^|\/)(\.envrc|\.mcp\.json|\.bashrc|\.profile|\.zshrc|\.gitmodules|\.vscode\/(tasks|settings|launch|mcp)\.json|\.claude\/.*|\.cursor\/.*|\.husky\/.*|\.idea\/.*|\.devcontainer\/.*|\.git\/hooks\/[^.]+)$/;

/** Keys of git whose value it runs, or reads further settings from. */
const running =
  /^(alias\.|core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|attributesfile)|credential\..*helper|credential\.helper|diff\..*(command|textconv)|diff\.external|filter\.|gpg\..*program|gpg\.program|include\.|includeif\.|init\.templatedir|interactive\.difffilter|merge\..*driver|merge(tool)?\..*cmd|difftool\..*cmd|pager\.|protocol\.ext|remote\..*\.(uploadpack|receivepack|vcs)|sequence\.editor|submodule\..*\.update=!|uploadpack\.|receive\.procreceiverefs)/i;

/** A digest for each file; of `.git` nothing, or only what is no object. */
function filesOf(root: string, withGit = false): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (folder === root && entry.name === '.git' && !withGit) continue;
      if (entry.isDirectory() && !(basename(folder) === '.git' && entry.name === 'objects')) walk(path);
      if (entry.isFile())
        found.set(relative(root, path), createHash('sha256').update(readFileSync(path)).digest('base64'));
      if (entry.isSymbolicLink()) found.set(relative(root, path), 'a link');
    }
  };
  walk(root);
  return found;
}

/**
 * What the refs and logs of a repository still reach. Its settings are not trusted: objects and ids are looked at by a
 * repository of ours. Empty where it is none anymore.
 */
function reachable(root: string): ReadonlySet<string> {
  const repository = join(root, '.git');
  const clean = mkdtempSync(join(tmpdir(), 'sekisho-walls-git-'));
  try {
    execFileSync('git', ['init', '-q', '--bare', clean]);
    rmSync(join(clean, 'objects'), { recursive: true });
    cpSync(join(repository, 'objects'), join(clean, 'objects'), { recursive: true, verbatimSymlinks: true });
    // The index of a pack can be made anew from it.
    const names = readdirSync(join(clean, 'objects'), { recursive: true, encoding: 'utf8' });
    for (const pack of names.filter((name) => name.endsWith('.pack')))
      if (!names.includes(pack.replace(/pack$/, 'idx')))
        spawnSync('git', ['index-pack', join(clean, 'objects', pack)], { stdio: 'ignore' });
    const ids = ['HEAD', 'packed-refs', 'refs', 'logs'].flatMap((name) => idsIn(join(repository, name)));
    const listed = spawnSync(
      'git',
      ['-C', clean, 'rev-list', '--objects', '--no-object-names', '--ignore-missing', '--stdin'],
      {
        input: [...new Set(ids)].join('\n'),
        env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
        encoding: 'utf8',
      },
    );
    return new Set(listed.stdout.split('\n').filter((line) => line !== ''));
  } catch {
    return new Set();
  } finally {
    rmSync(clean, { recursive: true, force: true });
  }
}

function idsIn(path: string): readonly string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return readdirSync(path).flatMap((name) => idsIn(join(path, name)));
  if (!stat?.isFile()) return [];
  return (readFileSync(path, 'utf8').match(/\b[0-9a-f]{40}\b/g) ?? []).filter((id) => !/^0+$/.test(id));
}

function settingsOf(root: string): readonly string[] {
  const [program, args] = asUser('git', [
    'config',
    '--no-includes',
    '--file',
    join(root, '.git/config'),
    '--list',
  ]);
  const { stdout } = spawnSync(program, args, { encoding: 'utf8', cwd: '/' });
  return stdout.split('\n').filter((line) => line !== '');
}

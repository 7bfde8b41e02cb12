import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

export const onLayer = { flags: { profile: 'coding' } } as const;

/** What a bash call came to, and the id of its record. */
export interface Ran {
  readonly exit_code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly auditId: string;
}

/** Runs a command by the tool `bash`; whoever is asked agrees. */
export async function runIn(world: World, command: string, more: object = {}): Promise<Ran> {
  const reply = await world.call(
    'bash',
    { command, ...more },
    // However busy the machine is, the answer is the command's.
    { elicit: async () => ({ action: 'accept' as const }), patienceMs: 3_600_000 },
  );
  const { audit } = await world.checkpoint.store();
  const [record] = await audit.search({ newestFirst: true, limit: 1 });
  return { ...(outputOf(reply) as unknown as Omit<Ran, 'auditId'>), auditId: record?.id ?? '' };
}

/** What the history says that a call changed, and still stands. */
export async function changedBy(world: World, auditId: string): Promise<readonly string[]> {
  const { history } = await world.checkpoint.store();
  const entries = await history.list({ auditId, standing: true, limit: 10_000 });
  return [...new Set(entries.map(({ path }) => path))].toSorted();
}

/** Takes back all that a call changed, as `sekisho undo ENTRY --call` does. Returns what stood in the way. */
export async function takeBack(world: World, auditId: string): Promise<readonly string[]> {
  const history = await world.checkpoint.rooms.history();
  const { folder } = await world.checkpoint.rooms.workspace();
  const who = { principal: 'person', sessionId: 'undo-test', tool: 'undo', auditId: '' };
  const steps = await history.undo({ auditId }, { folders: [folder], who, force: false });
  return steps
    .filter(({ outcome }) => outcome !== 'undone' && outcome !== 'already')
    .map(({ entry, outcome }) => `${outcome} ${entry.path}`);
}

/** Every path with its kind, mode and content. Objects of git are left out where `withoutObjects`: undo leaves them. */
export function tree(
  root: string,
  { withoutObjects = true, withoutGit = false } = {},
): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (below: string) => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const path = below === '' ? name : `${below}/${name}`;
      if (withoutGit && name === '.git') continue;
      if (withoutObjects && /(^|\/)\.git\/objects\//.test(path)) continue;
      const stat = lstatSync(join(root, path));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
      else if (stat.isDirectory()) {
        found[path] = `folder ${mode}`;
        walk(path);
      } else if (stat.isFile())
        found[path] = `file ${mode} ${hash('sha256', readFileSync(join(root, path)))}`;
      else found[path] = 'other';
    }
  };
  walk('');
  return found;
}

export function differing(before: Record<string, string>, after: Record<string, string>): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .toSorted();
}

/** A repository with two commits, a branch and some files that git does not know. */
export function plantRepository(root: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'pipe' });
  execFileSync('bash', [
    '-c',
    'cd "$1" && mkdir -p d1/d2 e && echo a >a.txt && echo x >d1/x && echo y >d1/d2/y && printf "\\0\\1" >b.bin && ln -s a.txt l',
    '-',
    root,
  ]);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Mai');
  git('config', 'user.email', 'mai@example.com');
  git('add', '-A');
  git('commit', '-qm', 'one');
  execFileSync('bash', ['-c', 'cd "$1" && echo two >>a.txt && echo z >d1/z', '-', root]);
  git('add', '-A');
  git('commit', '-qm', 'two');
  git('branch', 'side', 'HEAD~1');
  execFileSync('bash', ['-c', 'cd "$1" && echo loose >loose.txt && echo more >>d1/x', '-', root]);
}

/** What is marked as a part of a layer below a folder, a line for each. What a program sets by such a name is kept apart by the kernel. */
export function marksIn(folder: string): string {
  const look = `import os, sys
for at, folders, files in os.walk(sys.argv[1]):
    for path in [at] + [os.path.join(at, name) for name in files]:
        for mark in os.listxattr(path, follow_symlinks=False):
            if mark.startswith("user.overlay.") and not mark.startswith("user.overlay.overlay."): print(path, mark)`;
  return execFileSync('python3', ['-c', look, folder], { encoding: 'utf8' });
}

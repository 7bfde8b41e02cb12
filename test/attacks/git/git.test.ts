import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openCommands } from '../../../src/confine/process/commands.ts';
import { workingSandboxes } from '../../process/working-sandboxes.ts';
import { day, type GitAttack, gitAttacks } from './attacks.ts';

const working = await workingSandboxes();
/** Two of three runs repeat what the third shows: every attack meets bubblewrap, some of them the others too. */
const some = gitAttacks.filter((_, i) => process.env.SEKISHO_HAMMER !== undefined || i % 5 === 0);
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Not below /tmp, which commands have of their own. */
function makeWorld({ before = '' }: Pick<GitAttack, 'before'>) {
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-git-'));
  made.push(base);
  const root = join(base, 'root');
  const home = join(base, 'home');
  const mark = join(base, 'mark');
  mkdirSync(root);
  mkdirSync(home);
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n',
  );
  const person = (script: string) => inShell(`cd '${root}'\n${script}`, home);
  person(`
git init -q && echo a >a && git add a && git commit -qm first && echo b >a && git commit -qam second
git clone -q --bare . ../far.git && git remote add origin ../far.git && git fetch -q && git branch -q -u origin/main
${before}`);
  writeFileSync(join(root, 'evil'), `#!/bin/sh\necho ran >>'${mark}'\nexit 1\n`);
  chmodSync(join(root, 'evil'), 0o755);
  return { root, home, mark, person, hasRun: () => existsSync(mark) };
}

/** With a terminal, since git starts a pager for one only. */
function inShell(script: string, home: string): string {
  try {
    return execFileSync('script', ['-qec', 'bash "$SCRIPT"', '/dev/null'], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TERM: 'dumb',
        PAGER: 'cat',
        GIT_EDITOR: 'true',
        SCRIPT: written(script, home),
      },
      encoding: 'utf8',
      timeout: 15_000,
    });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

function written(script: string, home: string): string {
  const path = join(home, 'script.sh');
  writeFileSync(path, script);
  return path;
}

async function command(root: string, script: string, backend: 'bubblewrap' | 'landlock') {
  const commands = openCommands({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [backend],
  });
  try {
    return await commands
      .forSession('s')
      .run(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, timeoutMs: 30_000, signal: new AbortController().signal },
      );
  } finally {
    await commands.close();
  }
}

describe('without walls', () => {
  test.each(some)('$title runs', ({ before, plant, later = day }) => {
    const { root, person, hasRun, home } = makeWorld({ before });
    inShell(`cd '${root}'\n${plant}`, home);
    person(later);
    expect(hasRun()).toBe(true);
  });
});

for (const backend of ['bubblewrap', 'landlock'] as const) {
  const title = working.has(backend) ? backend : `${backend} (skipped: it does not work here)`;
  describe.skipIf(!working.has(backend))(title, () => {
    const held =
      backend === 'bubblewrap' ? gitAttacks : some.filter(({ passesLandlock }) => passesLandlock !== true);
    test.each(held)('$title does not run', async ({ before, plant, later = day }) => {
      const { root, person, hasRun } = makeWorld({ before });
      await command(root, plant, backend);
      const said = person(later);
      expect(hasRun(), said).toBe(false);
    });
  });
}

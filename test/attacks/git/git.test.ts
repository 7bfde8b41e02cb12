import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../../src/command/commands.ts';
import { needs, sandbox } from '../../support/needs.ts';
import { some } from '../../support/some.ts';
import { day, type GitAttack, gitAttacks } from './attacks.ts';

/** Two of three runs repeat what the third shows: every attack meets bubblewrap, some of them the others too. */
const tried = some(5, gitAttacks);
const base = realpathSync(mkdtempSync('/var/tmp/sekisho-git-'));
const [root, home, mark] = [join(base, 'root'), join(base, 'home'), join(base, 'mark')];
const opened = new Map<string, CommandRunner>();

beforeAll(() => {
  mkdirSync(root);
  mkdirSync(home);
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n',
  );
  inShell(
    `cd '${root}'
git init -q && echo a >a && git add a && git commit -qm first && echo b >a && git commit -qam second
git clone -q --bare . ../far.git && git remote add origin ../far.git && git fetch -q && git branch -q -u origin/main
mkdir ../begun && mv .git a ../far.git ../begun`,
    home,
  );
});

afterAll(async () => {
  for (const commands of opened.values()) await commands.close();
  rmSync(base, { recursive: true, force: true });
});

/** The same repository anew, and whatever else was there before; not below /tmp, which commands have of their own. */
function makeWorld({ before = '' }: Pick<GitAttack, 'before'>) {
  const person = (script: string) => inShell(`cd '${root}'\n${script}`, home);
  // A name that a command made may be no text.
  person(`rm -rf ./* ./.[!.]* && find .. -mindepth 1 -maxdepth 1 ! -name root ! -name home ! -name begun -exec rm -rf {} +
cp -a ../begun/.git ../begun/a . && cp -a ../begun/far.git ..
${before}`);
  writeFileSync(join(root, 'evil'), `#!/bin/sh\necho ran >>'${mark}'\nexit 1\n`);
  chmodSync(join(root, 'evil'), 0o755);
  return { person, hasRun: () => existsSync(mark) };
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

/** By one that is open for all of them, each in a session of its own: opening costs more than most attacks do. */
async function command(script: string, backend: 'bubblewrap' | 'landlock') {
  const commands =
    opened.get(backend) ??
    new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: [backend],
    });
  opened.set(backend, commands);
  return commands
    .forSession(randomUUID())
    .run(
      { kind: 'script', script, shell: 'bash' },
      { workingFolder: root, timeoutMs: 30_000, signal: new AbortController().signal },
    );
}

describe('without walls', () => {
  test.each(tried)('$title runs', ({ before, plant, later = day }) => {
    const { person, hasRun } = makeWorld({ before });
    inShell(`cd '${root}'\n${plant}`, home);
    person(later);
    expect(hasRun()).toBe(true);
  });
});

for (const backend of ['bubblewrap', 'landlock'] as const) {
  describe(backend, needs(sandbox(backend)), () => {
    const held =
      backend === 'bubblewrap' ? gitAttacks : tried.filter(({ passesLandlock }) => passesLandlock !== true);
    test.each(held)('$title does not run', async ({ before, plant, later = day }) => {
      const { person, hasRun } = makeWorld({ before });
      await command(plant, backend);
      const said = person(later);
      expect(hasRun(), said).toBe(false);
    });
  });
}

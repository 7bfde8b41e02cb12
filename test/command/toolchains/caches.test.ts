import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { needs, programs, sandbox } from '../../support/needs.ts';
import { createPerson } from './person.ts';

const signal = new AbortController().signal;

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !holds() && Date.now() < end; ) await sleep(50);
  expect(holds()).toBe(true);
}

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  const cachesOf = (person: { readonly base: string }, maxBytes = 1024 ** 3, idleMs?: number) => ({
    caches: { folder: join(person.base, 'state/caches'), maxBytes, idleMs },
  });

  test(
    'what package managers fetch is there for the commands of the next server',
    needs(sandbox(name)),
    async () => {
      const person = createPerson();
      const first = person.open(name, {}, cachesOf(person));
      await first.run(`for d in "$CARGO_HOME" "$npm_config_cache" "$GOMODCACHE" "$XDG_CACHE_HOME/pip"; do
      mkdir -p "$d" && echo kept > "$d/kept"; done`);
      await first.close();
      const second = person.open(name, {}, cachesOf(person));
      expect(
        (
          await second.run(
            'cat "$CARGO_HOME/kept" "$npm_config_cache/kept" "$GOMODCACHE/kept" "$XDG_CACHE_HOME/pip/kept"',
          )
        ).out,
      ).toBe('kept\n'.repeat(4));
      await second.close();
      person.remove();
    },
  );

  test(
    "another root's commands have others, and so has who may write a part of a root only",
    needs(sandbox(name)),
    async () => {
      const person = createPerson({ 'other/x': '', 'home/project/desk/x': '' });
      const first = person.open(name, {}, cachesOf(person));
      await first.run('mkdir -p "$CARGO_HOME"; echo planted > "$CARGO_HOME/config.toml"');
      await first.close();
      const other = join(person.base, 'other');
      const second = person.open(
        name,
        {},
        { ...cachesOf(person), roots: [{ hostPath: other, writable: true }] },
      );
      const look = 'ls -A "$XDG_CACHE_HOME"; cat "$CARGO_HOME/config.toml"; ls "${XDG_CACHE_HOME%/*}/"';
      expect((await second.run(look, other)).stdout).not.toMatch(/planted|cargo/);
      await second.close();
      const third = person.open(name, {}, cachesOf(person));
      const desk = join(person.project, 'desk');
      const result = await third.forSession('remote').run(
        {
          kind: 'script',
          script:
            'echo "${CARGO_HOME-none}"; cat /var/cache/sekisho/cargo/config.toml; grep -r planted /var/cache',
          shell: 'bash',
        },
        { workingFolder: desk, reach: { writable: [desk] }, timeoutMs: 30_000, signal, inSession: true },
      );
      expect(result.stdout).toBe('none\n');
      await third.close();
      person.remove();
    },
  );

  test(
    'over the bound, the one that was written longest ago goes first and as a whole',
    needs(sandbox(name)),
    async () => {
      const person = createPerson({ 'outside/precious': 'kept' });
      const own = cachesOf(person, 3 * 1024 * 1024, 200);
      const digest = createHash('sha256')
        .update(JSON.stringify([person.project]))
        .digest('hex')
        .slice(0, 16);
      const folder = join(own.caches.folder, digest);
      const commands = person.open(name, {}, own);
      // As Go leaves its modules: nothing in them may be written.
      await commands.run(`cd "$XDG_CACHE_HOME"; mkdir -p go-mod/module pip npm
      for f in go-mod/module/a pip/a npm/a; do head -c 2000000 /dev/zero > $f; done; chmod -R a-w go-mod
      ln -s ${person.base}/outside link; ln -s ${person.base}/outside pip/link; find go-mod -exec touch -d '8 days ago' {} +
      find pip -exec touch -h -d '2 days ago' {} +`);
      // What goes is renamed first, and lies there until it is removed.
      await expect.poll(() => readdirSync(folder).sort()).toEqual(['link', 'npm']);
      expect(readFileSync(join(person.base, 'outside/precious'), 'utf8')).toBe('kept');
      expect((await commands.run('ls "$XDG_CACHE_HOME/npm"')).out).toBe('a\n');
      await commands.close();
      person.remove();
    },
  );

  test(
    'nothing is taken away while a command runs, and none waits for it',
    needs(sandbox(name)),
    async () => {
      const person = createPerson();
      const commands = person.open(name, {}, cachesOf(person, 1024, 50));
      const { stdout } = await commands.run(
        'mkdir -p "$CARGO_HOME"; head -c 2000000 /dev/zero > "$CARGO_HOME/a"; sleep 1; ls "$CARGO_HOME"',
      );
      expect(stdout).toBe('a\n');
      await until(() =>
        readdirSync(join(person.base, 'state/caches')).every(
          (one) => readdirSync(join(person.base, 'state/caches', one)).length === 0,
        ),
      );
      await commands.close();
      person.remove();
    },
  );

  test('0 keeps nothing, and the variables are not set', needs(sandbox(name)), async () => {
    const person = createPerson();
    const commands = person.open(name, {}, cachesOf(person, 0));
    expect((await commands.run('echo "${CARGO_HOME-none} ${XDG_CACHE_HOME-none}"')).out).toBe('none none\n');
    expect(existsSync(join(person.base, 'state'))).toBe(false);
    await commands.close();
    person.remove();
  });
});

test(
  'Maven keeps its repository among the caches, whichever its version',
  needs(sandbox('bubblewrap'), programs('mvn')),
  async () => {
    const pom =
      '<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId>' +
      '<version>1</version><packaging>pom</packaging></project>';
    const person = createPerson({ 'home/project/pom.xml': pom });
    const runner = person.open(
      'bubblewrap',
      {},
      { caches: { folder: join(person.base, 'state/caches'), maxBytes: 1024 ** 3 } },
    );
    const { out } = await runner.run('mvn -o -X validate | grep "local repository"');
    expect(out).toMatch(/Using local repository at \/.*cache.*\/maven$/m);
    await runner.close();
    person.remove();
  },
);

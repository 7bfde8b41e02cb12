import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { gitBackend } from './git-backend.ts';
import { no, openWorld, yes } from './world.ts';

const run = promisify(execFile);

let world: Awaited<ReturnType<typeof openWorld>>;
afterEach(() => world.close());

test(
  'git clones and fetches unasked, and its push is held, refused in its words, or done',
  needs(programs('git')),
  async () => {
    world = await openWorld();
    const { folder, base, asked } = world;
    world.origin.server
      .removeAllListeners('request')
      .on('request', (message, response) => void gitBackend(folder, message, response, message));
    await run('git', ['init', '-q', '--bare', '-b', 'main', join(folder, 'app.git')]);
    const git = (...args: readonly string[]) =>
      world.run('sh', ['-c', 'git -c user.name=a -c user.email=a@b.example "$@" 2>&1', 'git', ...args]);
    const one = join(folder, 'one');
    await git('clone', '-q', `${base}/app.git`, one);
    await git('-C', one, 'commit', '-q', '--allow-empty', '-m', 'a');
    expect(asked).toEqual([]);

    world.answers(async () => no);
    const refused = await git('-C', one, 'push', 'origin', 'HEAD:main');
    expect(refused).toContain('remote: Sekisho: A person refused.');
    expect(refused).toContain('[remote rejected] HEAD -> main (A person refused.)');
    expect(asked.map(({ kind, summary }) => `${kind}: ${summary.en}`)).toEqual([
      'change: pushes to refs/heads/main of app.git',
    ]);

    world.answers(async () => yes);
    await git('-C', one, 'commit', '-q', '--allow-empty', '-m', 'b');
    await git('-C', one, 'push', '-q', 'origin', 'HEAD:main');
    expect(asked).toHaveLength(2);
    await git('clone', '-q', `${base}/app.git`, join(folder, 'two'));
    expect(await git('-C', join(folder, 'two'), 'log', '--format=%s')).toBe('b\na\n');
    expect(asked).toHaveLength(2);
  },
);

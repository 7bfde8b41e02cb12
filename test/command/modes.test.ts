import { execFile, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { some } from '../support/some.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../dist/sekisho.js');
/** Root lacks no rights on any file, so an ordinary user serves and looks here. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const isReachable = spawnSync(process.execPath, [program, '--version'], user).status === 0;
const lack = isReachable ? undefined : 'no clone that other users may read';

let home: string;
beforeAll(() => {
  home = mkdtempSync('/var/tmp/sekisho-modes-');
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid);
});
afterAll(async () => {
  await bash('chmod -R u+rwX .');
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({ HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' });
const bash = async (script: string) =>
  (await run('bash', ['-c', script], { cwd: home, env: env(), ...user })).stdout;
const list = `find . -mindepth 1 -printf '%M %p\\n' 2>/dev/null | sort -k 2`;

describe('A command takes rights on its own files from its own user', needs(lack), () => {
  test.each(
    some(3, [
      ['', 'echo x > f; chmod 000 f'],
      ['echo x > f', 'chmod 000 f'],
      ['echo x > f', 'chmod 200 f; echo y >> f'],
      ['echo x > f; chmod 000 f', 'chmod 644 f'],
      ['echo x > f; chmod 000 f', 'mv f g'],
      ['echo x > f; chmod 000 f', 'rm -f f'],
      ['echo x > f; chmod 000 f', 'echo y > g'],
      ['', 'mkdir d; echo x > d/f; chmod 000 d'],
      ['', 'mkdir -p d/e; echo x > d/e/f; chmod 300 d/e; chmod 111 d'],
      ['mkdir d; echo x > d/f', 'chmod 000 d'],
      ['mkdir d; echo x > d/f', 'echo y > d/g; chmod 500 d'],
      ['mkdir d; echo x > d/f; chmod 000 d', 'chmod 755 d'],
      ['mkdir d; echo x > d/f; chmod 500 d', 'chmod 700 d; rm d/f'],
      ['mkdir d; echo x > d/f; chmod 500 d', 'chmod 750 d; echo y > d/g; chmod 500 d'],
      ['mkdir -p d/e; echo x > d/e/f; chmod 500 d/e d', 'chmod -R u+w d; rm -r d'],
      ['mkdir d; chmod 000 d', 'rmdir d'],
      ['mkdir d; echo x > d/f; chmod 400 d', 'ls'],
    ]),
  )('%s, then %s', async (before, command) => {
    const make = (name: string) => `mkdir ${name}; cd ${name}; ${before || 'true'}`;
    await bash(`chmod -R u+rwX . && rm -rf plain judged; (${make('plain')}); (${make('judged')})`);
    await bash(`cd plain; ${command}`);
    const call = [
      'call',
      'shell_exec',
      JSON.stringify({ command }),
      '--mode',
      'full-access',
      '--root',
      'judged',
    ];
    const judged = await run(process.execPath, [program, ...call], { cwd: home, env: env(), ...user });
    expect(judged.stdout).toContain('exit code 0');
    expect(judged.stdout).not.toContain('internal');
    expect(await bash(`cd judged; ${list}`)).toBe(await bash(`cd plain; ${list}`));
    const open = 'chmod -R u+rwX .; grep -r "" . 2>/dev/null | sort';
    expect(await bash(`cd judged; ${open}`)).toBe(await bash(`cd plain; ${open}`));
  });

  test('undo brings back the content and the mode of a file that was shut', async () => {
    await bash('chmod -R u+rwX . && mkdir kept; cd kept; echo x > f; chmod 000 f');
    const sekisho = (...args: string[]) =>
      run(process.execPath, [program, ...args, '--root', 'kept'], { cwd: home, env: env(), ...user });
    await sekisho('call', 'shell_exec', '{"command":"rm -f f"}', '--mode', 'full-access');
    expect(await bash(`cd kept; ${list}`)).toBe('');
    await sekisho('undo', '--since', '1h');
    expect(await bash(`cd kept; ${list}; chmod u+r f; cat f`)).toBe('---------- ./f\nx\n');
  });
});

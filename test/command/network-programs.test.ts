import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-programs-')));
const root = join(base, 'root');
const served = join(base, 'served');

const rustup = join(userInfo().homedir, '.rustup');
const python = said('python3', ['-c', 'import sys, pip; print(sys.prefix)']);

/** Plays a registry of npm, an index of Python packages and a host of repositories. */
const { certificate, credentialsFor } = createAuthority();
const site = createServer(credentialsFor('site.test'), (request, response) => {
  const path = new URL(request.url ?? '', 'https://site').pathname;
  if (path === '/left-pad') {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name: 'left-pad',
        'dist-tags': { latest: '1.3.0' },
        versions: { '1.3.0': { name: 'left-pad', version: '1.3.0', dist: { tarball: '', shasum: '' } } },
      }),
    );
    return;
  }
  if (path === '/simple/tiny/') {
    response.setHeader('content-type', 'text/html');
    response.end('<a href="../../tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>');
    return;
  }
  try {
    response.end(readFileSync(join(served, path)));
  } catch {
    response.statusCode = 404;
    response.end();
  }
});

let port = 0;
let runner: CommandRunner;
beforeAll(async () => {
  for (const folder of [root, served]) mkdirSync(folder);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.2', resolve));
  port = (site.address() as AddressInfo).port;
  writeFileSync(join(served, 'word'), 'a word\n');
  runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    serverEnvironment: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      RUSTUP_HOME: rustup,
    },
    readable: [...(python ? [python] : []), dirname(dirname(process.execPath))],
    network: {
      entries: [`site.test:${port}`, `127.0.0.2:${port}`],
      tunnels: [],
      trusted: () => certificate,
      key: 'process.network',
      resolve: async () => ['127.0.0.2'],
    },
  });
});
afterAll(async () => {
  await runner.close();
  site.close();
  rmSync(base, { recursive: true, force: true });
});

function said(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

const bash = (script: string) =>
  runner
    .forSession('one')
    .run(
      { kind: 'script', script, shell: 'bash' },
      { workingFolder: root, timeoutMs: 120_000, signal: new AbortController().signal },
    );

describe('programs find the way by themselves', needs(sandbox('bubblewrap')), () => {
  test('npm', needs(programs('npm')), async () => {
    const result = await bash(`npm view left-pad version --registry https://site.test:${port}/`);
    expect(result).toMatchObject({ stdout: '1.3.0\n', exitCode: 0 });
  });

  test('git over https', needs(programs('git')), async () => {
    const source = join(base, 'source');
    const run = (...args: string[]) =>
      execFileSync('git', ['-C', source, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        stdio: 'ignore',
      });
    mkdirSync(source);
    run('init', '-b', 'main');
    writeFileSync(join(source, 'hello.txt'), 'hello\n');
    run('add', 'hello.txt');
    run('commit', '-m', 'one');
    execFileSync('git', ['clone', '--bare', source, join(served, 'it.git')], { stdio: 'ignore' });
    execFileSync('git', ['-C', join(served, 'it.git'), 'update-server-info'], { stdio: 'ignore' });
    const result = await bash(`git clone -q https://site.test:${port}/it.git it && cat it/hello.txt`);
    expect(result).toMatchObject({ stdout: 'hello\n', exitCode: 0 });
    const refused = await bash(`git ls-remote https://other.test/it.git`);
    expect(refused.stderr).toMatch(/403/);
    expect(refused.stderr).toContain('[network: other.test:443 may not be reached');
  });

  test('pip', needs(python === undefined ? 'no pip' : undefined), async () => {
    execFileSync('python3', [
      '-c',
      `import zipfile
wheel = zipfile.ZipFile('${join(served, 'tiny-1.0-py3-none-any.whl')}', 'w')
wheel.writestr('tiny.py', 'word = "tiny"')
wheel.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
wheel.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
wheel.writestr('tiny-1.0.dist-info/RECORD', '')
wheel.close()`,
    ]);
    const result = await bash(
      `'${python}/bin/python3' -m pip install -q --disable-pip-version-check --no-cache-dir --target here ` +
        `--index-url https://site.test:${port}/simple tiny 2>&1; ` +
        `PYTHONPATH=here '${python}/bin/python3' -c 'import tiny; print(tiny.word)'`,
    );
    expect(result).toMatchObject({ stdout: expect.stringMatching(/^tiny$/m), exitCode: 0 });
  });

  test(
    'cargo',
    needs(said('env', [`RUSTUP_HOME=${rustup}`, 'cargo', '-V']) === undefined ? 'no cargo' : undefined),
    async () => {
      const crate = join(base, 'tiny-1.0.0');
      mkdirSync(join(crate, 'src'), { recursive: true });
      writeFileSync(join(crate, 'Cargo.toml'), '[package]\nname = "tiny"\nversion = "1.0.0"\n');
      writeFileSync(join(crate, 'src', 'lib.rs'), '');
      const packed = execFileSync('tar', ['cz', '-C', base, 'tiny-1.0.0']);
      for (const folder of ['index/ti/ny', 'crates/tiny/1.0.0'])
        mkdirSync(join(served, folder), { recursive: true });
      writeFileSync(join(served, 'crates/tiny/1.0.0/download'), packed);
      writeFileSync(join(served, 'index/config.json'), `{"dl": "https://site.test:${port}/crates"}`);
      const cksum = createHash('sha256').update(packed).digest('hex');
      writeFileSync(
        join(served, 'index/ti/ny/tiny'),
        JSON.stringify({ name: 'tiny', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false }),
      );
      const result = await bash(`mkdir -p rust/src rust/.cargo && cd rust && touch src/lib.rs
      printf '[registries.own]\nindex = "sparse+https://site.test:${port}/index/"\n' > .cargo/config.toml
      printf '[package]\nname = "x"\nversion = "0.1.0"\n[dependencies]\ntiny = { version = "1", registry = "own" }\n' > Cargo.toml
      cargo fetch && grep -c checksum Cargo.lock`);
      expect(result).toMatchObject({ stdout: '1\n', exitCode: 0 });
    },
  );

  test.each([
    ['curl', 'curl -sS URL'],
    ['wget', 'wget -qO- URL'],
    [
      'node',
      `node -e "fetch('URL').then((answer) => answer.text()).then((text) => process.stdout.write(text))"`,
    ],
    ['python3', `python3 -c "import urllib.request as r; print(r.urlopen('URL').read().decode(), end='')"`],
    ['perl', `perl -MHTTP::Tiny -e "print HTTP::Tiny->new(verify_SSL => 1)->get('URL')->{content}"`],
  ])('%s', async (program, line) => {
    if (said('sh', ['-c', `command -v ${program}`]) === undefined) return;
    if (program === 'perl' && said('perl', ['-MIO::Socket::SSL', '-e1']) === undefined) return;
    const result = await bash(line.replaceAll('URL', `https://site.test:${port}/word`));
    expect(result).toMatchObject({ stdout: 'a word\n', exitCode: 0 });
  });

  test.each(
    globSync('/usr/lib/jvm/*/bin/java').filter((path) => !lstatSync(dirname(dirname(path))).isSymbolicLink()),
  )('%s, without a variable', async (java) => {
    writeFileSync(join(root, 'Read.java'), javaProgram);
    const result = await bash(`env -i '${java}' Read.java https://site.test:${port}/word`);
    expect(result).toMatchObject({ stdout: 'a word\na word\n', stderr: '', exitCode: 0 });
  });
});

const javaProgram = `
import java.net.*;
import java.net.http.*;
class Read {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(args[0])).build();
    System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    System.out.print(new String(URI.create(args[0]).toURL().openStream().readAllBytes()));
  }
}
`;

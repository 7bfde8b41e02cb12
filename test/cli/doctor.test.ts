import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';

const run = promisify(execFile);

test(
  'lists the toolchains that commands are shown, and what is left out',
  needs(sandbox('bubblewrap')),
  async () => {
    const home = realpathSync(mkdtempSync('/var/tmp/sekisho-doctor-'));
    try {
      for (const folder of ['project', '.pyenv/versions', 'opt/x/bin', '.cargo/bin'])
        mkdirSync(join(home, folder), { recursive: true });
      writeFileSync(join(home, '.cargo/credentials.toml'), '');
      const { stdout } = await run(process.execPath, [startFile, 'doctor'], {
        cwd: join(home, 'project'),
        env: { HOME: home, PATH: `/usr/bin:/bin:${home}/opt/x/bin:${home}:.`, LANG: 'ja_JP.UTF-8' },
      });
      const lines = stdout.split('\n').filter((line) => /toolchain|programs|left out/.test(line));
      expect(lines.map((line) => line.replaceAll(home, '~').replaceAll(/ {2,}/g, ' '))).toEqual([
        '正常 toolchain pyenv ~/.pyenv',
        '正常 toolchain cargo ~/.cargo',
        '正常 programs ~/opt/x/bin',
        '注意 left out ~/.cargo/credentials.toml: 認証情報を含む可能性があります',
        '注意 left out ~: プログラム以外のものを含みます',
        '注意 left out .: 相対パスです',
      ]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

test(
  'tells which hosts commands reach and which of their ports are published, of the sandbox that they run in',
  needs(sandbox('bubblewrap')),
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'sekisho-doctor-'));
    try {
      const config = join(home, 'hosts.jsonc');
      writeFileSync(
        config,
        '{ "process": { "network": ["127.0.0.2:8765", { "host": "*.example.com", "tls": "tunnel" }], "publish": [3000, "5170-5180"] } }',
      );
      const project = join(home, 'project');
      mkdirSync(project);
      const { stdout } = await run(process.execPath, [startFile, 'doctor', '--config', config], {
        cwd: project,
        env: { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' },
      });
      expect(stdout.split('\n').filter((line) => / network | published /.test(line))).toEqual([
        'ok       network bubblewrap   127.0.0.2:8765, *.example.com (not looked into)',
        'ok       published ports      3000, 5170-5180',
      ]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

test.each([
  [
    'C.UTF-8',
    'warning  git                  commands can write .git/config and hooks',
    'warning  published ports      commands share the loopback of this machine',
  ],
  [
    'ja_JP.UTF-8',
    '注意  git                  コマンドは .git/config とフックに書き込めます',
    '注意  published ports      コマンドはこのマシンのループバックを共有します',
  ],
])(
  'with Landlock alone it says what of git that leaves open, and that no port is published, in %s',
  needs(sandbox('landlock'), sandbox('bubblewrap')),
  async (LANG, ...said) => {
    const home = mkdtempSync(join(tmpdir(), 'sekisho-doctor-'));
    try {
      mkdirSync(join(home, 'project'));
      const config = join(home, 'ports.jsonc');
      writeFileSync(config, '{ "process": { "publish": true } }');
      const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap'];
      const doctor = [process.execPath, startFile, 'doctor', '--config', config];
      const { stdout } = await run('bwrap', [...hidden, ...doctor], {
        cwd: join(home, 'project'),
        env: { HOME: home, PATH: '/usr/bin:/bin', LANG },
      }).catch((error) => error);
      for (const each of said) expect(stdout).toContain(each);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

test.each([
  ['off', 'C.UTF-8', 'warning  layers bubblewrap    "process": { "layer": "off" } in the configuration'],
  ['off', 'ja_JP.UTF-8', '注意  layers bubblewrap    設定の "process": { "layer": "off" } により'],
  ['auto', 'C.UTF-8', 'warning  layers bubblewrap    a file system of its own is mounted at '],
  ['auto', 'ja_JP.UTF-8', '/mnt に別のファイルシステムがマウントされていて、レイヤーで覆えません'],
])('says why commands run without a layer: %s, in %s', needs(lackOfLayers), async (layer, LANG, said) => {
  const home = realpathSync(mkdtempSync('/var/tmp/sekisho-doctor-'));
  try {
    mkdirSync(join(home, 'project/mnt'), { recursive: true });
    const config = join(home, 'layer.jsonc');
    writeFileSync(config, JSON.stringify({ process: { layer } }));
    const mounted = layer === 'auto' ? ['--tmpfs', join(home, 'project/mnt')] : [];
    const doctor = [process.execPath, startFile, 'doctor', '--config', config];
    const { stdout } = await run('bwrap', ['--dev-bind', '/', '/', ...mounted, ...doctor], {
      cwd: join(home, 'project'),
      env: { HOME: home, PATH: process.env.PATH, LANG },
    }).catch((error) => error);
    expect(stdout).toContain(said);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test.each([
  ['C.UTF-8', 'Sekisho runs as root, and so does everything that it starts'],
  ['ja_JP.UTF-8', 'Sekisho が root で動いており、そこから起動するものもすべて root で動きます'],
])(
  'warns of root, and of nobody else, in %s',
  needs(superuser(), sandbox('bubblewrap')),
  async (LANG, said) => {
    const home = realpathSync(mkdtempSync('/var/tmp/sekisho-doctor-'));
    try {
      mkdirSync(join(home, 'project'));
      const options = { cwd: join(home, 'project'), env: { HOME: home, PATH: process.env.PATH, LANG } };
      const other = ['--dev-bind', '/', '/', '--unshare-user', '--uid', '1000', process.execPath];
      for (const command of ['doctor', 'serve']) {
        const own = run(process.execPath, [startFile, command], options);
        const others = run('bwrap', [...other, startFile, command], options);
        for (const { child } of [own, others]) child.stdin?.end();
        const [asRoot, asUser] = await Promise.all(
          [own, others].map((each) => each.catch((error: { stdout: string; stderr: string }) => error)),
        );
        expect(`${asRoot?.stdout}${asRoot?.stderr}`).toContain(said);
        expect(`${asUser?.stdout}${asUser?.stderr}`).not.toContain(said);
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

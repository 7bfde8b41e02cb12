/** Makes `sekisho-VERSION-PLATFORM.mcpb` for clients that install a server by a click: `node scripts/mcpb.ts [--out FOLDER]`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { writeBundle } from './mcpb-bundle.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: '.' } } });
const place = mkdtempSync(join(tmpdir(), 'sekisho-mcpb-'));
try {
  const quiet = ['--silent', '--no-audit', '--no-fund'];
  execFileSync('node', ['scripts/build.ts'], { stdio: 'inherit' });
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place]);
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
  execFileSync(
    'npm',
    [
      'install',
      '--omit=dev',
      '--ignore-scripts',
      ...quiet,
      join(place, `sekisho-${packageJson.version}.tgz`),
    ],
    {
      cwd: place,
      stdio: 'inherit',
    },
  );
  const out = resolve(values.out, `sekisho-${packageJson.version}-${process.platform}-${process.arch}.mcpb`);
  const { files, bytes } = await writeBundle(place, out);
  console.log(`${out}: ${files} files, ${(bytes / 1024 / 1024).toFixed(1)} MiB`);
} finally {
  rmSync(place, { recursive: true, force: true });
}

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const start = join(import.meta.dirname, '../../src/cli/start.ts');

test.skipIf(!existsSync('/usr/bin/bwrap'))(
  'tells which hosts commands reach, of the sandbox that they run in (skipped: no bubblewrap)',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'sekisho-doctor-'));
    try {
      const config = join(home, 'hosts.jsonc');
      writeFileSync(config, '{ "process": { "network": ["127.0.0.2:8765", "*.example.com"] } }');
      const project = join(home, 'project');
      mkdirSync(project);
      const { stdout } = await run(process.execPath, [start, 'doctor', '--config', config], {
        cwd: project,
        env: { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' },
      });
      expect(stdout.split('\n').filter((line) => / network /.test(line))).toEqual([
        'ok       network bubblewrap   127.0.0.2:8765, *.example.com',
      ]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

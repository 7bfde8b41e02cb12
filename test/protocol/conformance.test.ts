import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { serveConformance } from '../support/fixture-conformance.ts';

const suite = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);

test.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
])(
  'everything that revision %s requires of a server passes',
  { timeout: 180_000 },
  async (revision, count) => {
    const { url, service } = await serveConformance();
    const folder = await mkdtemp(join(tmpdir(), 'sekisho-conformance-'));
    const required = (await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8'))
      .split('\nserver:\n')[1]
      ?.split('\n\n')[0]
      ?.split('\n')
      .map((line) => line.replace('  - ', ''));

    // The suite leaves without waiting for a pipe to take its words, so they go to a file.
    const log = await open(join(folder, 'log'), 'w');
    const child = spawn(
      process.execPath,
      [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision],
      { cwd: folder, stdio: ['ignore', log.fd, log.fd] },
    );
    const [code] = await once(child, 'exit');
    await log.close();
    const output = stripVTControlCharacters(await readFile(join(folder, 'log'), 'utf8'));
    await service.close();
    await rm(folder, { recursive: true });

    expect(required).toHaveLength(count);
    expect(code, output.slice(-4000)).toBe(0);
    expect(required?.filter((name) => !output.includes(`✓ ${name}: `))).toEqual([]);
  },
);

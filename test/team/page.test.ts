import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { steps } from '../../src/store/team/instructions.ts';
import { startFile } from '../support/run-command.ts';

const page = pageOf('team.md');

test('docs/team.md can be followed as written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  for (const made of ['bin', 'work', 'home']) mkdirSync(join(folder, made));
  const program = join(folder, 'bin', 'sekisho');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${startFile}" "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'work', 'team.jsonc'), page.jsonc.join(''));
  expect(page.json.length).toBeGreaterThan(3);

  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', page.sh.join('\n')], {
    cwd: join(folder, 'work'),
    env: {
      HOME: join(folder, 'home'),
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      LANG: 'C.UTF-8',
    },
  });

  const printed = stdout.replaceAll(/tsk_\w+/g, 'tsk_…').split('\n');
  for (const line of page.json) expect(printed).toContain(line);
  expect(stdout).toContain('status: done');
});

test('the Japanese page has the same commands, and what they print in Japanese', () => {
  const japanese = pageOf('team.ja.md');
  expect(japanese.sh).toEqual(page.sh);
  expect(japanese.jsonc).toEqual(page.jsonc);
  const translate = new Map(Object.values(steps).map(({ instruction }) => [instruction.en, instruction.ja]));
  expect(japanese.json.map((line) => JSON.parse(line))).toEqual(
    page.json.map((line) => {
      const { instruction, ...rest } = JSON.parse(line) as { instruction?: string };
      return instruction === undefined ? rest : { ...rest, instruction: translate.get(instruction) };
    }),
  );
});

test('the pages name every step', () => {
  for (const { action } of Object.values(steps)) {
    for (const { words } of [page, pageOf('team.ja.md')]) expect(words).toContain(`\`${action}\``);
  }
});

function pageOf(name: string) {
  const words = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
  const blocks = (kind: string) =>
    [...words.matchAll(/```(\w+)\n([\s\S]+?)```/g)]
      .filter((block) => block[1] === kind)
      .map((block) => (block[2] ?? '').trim());
  return { words, sh: blocks('sh'), json: blocks('json'), jsonc: blocks('jsonc') };
}

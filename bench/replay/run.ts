/**
 * `npm run replay`: a day's work on projects of several languages, each step by bash alone and by the tool `bash` from the
 * same state of the same folder; exit code and tree must be the same. What differs between two runs of bash alone is not
 * compared. A person who is asked agrees; questions are counted.
 *
 *   npm run replay -- [--only NAME] [--process '{"network": ["registry.example:443"]}'] [--keep]
 *
 * What is kept becomes a table of docs/performance.md.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bring } from './bring.ts';
import { type Project, projects } from './projects.ts';
import { keepReplay, type ReplayRow } from './results.ts';
import { openServed } from './served.ts';
import { differences, isNamedAnew, treeOf } from './tree.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, process: { type: 'string' }, keep: { type: 'boolean' } },
});
const settings: Record<string, unknown> = values.process === undefined ? {} : JSON.parse(values.process);
const base = mkdtempSync('/var/tmp/sekisho-replay-');
const temporary = join(base, 'tmp');
mkdirSync(temporary);
const totals = { steps: 0, same: 0, questions: 0 };
const rows: ReplayRow[] = [];

try {
  for (const project of projects) {
    if (values.only !== undefined && !project.name.includes(values.only)) continue;
    const missing = project.needs.filter((program) => spawnSync('which', [program]).status !== 0);
    if (missing.length > 0) console.log(`${project.name}: left out, no ${missing.join(', ')} here`);
    else await replay(project);
  }
  if (values.keep) keepReplay({ questions: totals.questions, rows });
  const percent = totals.steps === 0 ? 0 : (100 * totals.same) / totals.steps;
  console.log(
    `${totals.same} of ${totals.steps} steps the same (${percent.toFixed(1)} %), ${totals.questions} questions`,
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}

async function replay({ name, fetch, steps }: Project): Promise<void> {
  const folder = join(base, 'project');
  const before = join(base, 'before');
  const after = join(base, 'after');
  for (const path of [folder, before, after]) mkdirSync(path, { recursive: true });
  empty(folder);
  bash(fetch, folder, true);
  for (const [key, value] of [
    ['user.name', 'Mai'],
    ['user.email', 'mai@example.com'],
  ] as const)
    execFileSync('git', ['-C', folder, 'config', key, value]);
  await using served = await openServed(folder, base, settings);
  let same = 0;
  for (const step of steps) {
    process.stderr.write(`${name}: ${step.split('\n', 1)[0]}\n`);
    bring(folder, before);
    empty(temporary);
    bash(step, folder);
    const once = treeOf(folder);
    bring(before, folder);
    empty(temporary);
    const plain = bash(step, folder);
    const twice = treeOf(folder);
    bring(folder, after);
    bring(before, folder);
    const ours = await served.run(step);
    const volatile = new Set(differences(once, twice));
    const differing = differences(twice, treeOf(folder)).filter(
      (path) => !volatile.has(path) && !isNamedAnew(path, once, twice),
    );
    totals.questions += ours.questions;
    if (ours.code === plain.code && differing.length === 0) same++;
    else {
      console.log(`${name}: ${step.split('\n', 1)[0]}`);
      console.log(
        `  exit code ${plain.code} by bash, ${ours.code ?? 'none'} here; differing: ${differing.slice(0, 3).join(', ')}`,
      );
      for (const line of ours.words.trim().split('\n').slice(-3)) console.log(`  | ${line.slice(0, 160)}`);
    }
    bring(after, folder);
  }
  totals.steps += steps.length;
  totals.same += same;
  rows.push({ name, same, steps: steps.length });
  console.log(`${name}: ${same} of ${steps.length} steps the same`);
}

function bash(script: string, cwd: string, mustWork = false): { readonly code: number } {
  const { status, stderr } = spawnSync('bash', ['--norc', '--noprofile', '-c', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (mustWork && status !== 0) throw new Error(`${script}: ${stderr}`);
  return { code: status ?? 255 };
}

function empty(folder: string): void {
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true });
}

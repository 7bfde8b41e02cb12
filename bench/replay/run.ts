/**
 * `npm run replay`: a day's work on projects of several languages, each step by bash alone and by a client of the built
 * server, from the same state of the same folder; exit code and tree must be the same. What differs between two runs of
 * bash alone is not compared. A person who is asked agrees; questions are counted.
 *
 *   npm run replay -- [--day] [--only NAME] [--process '{"network": ["registry.example:443"]}'] [--keep]
 *
 * `--day`: the two hundred everyday calls of day.ts, of which what is printed is shown as well where it differs.
 * What is kept becomes a table of docs/performance.md.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bring } from './bring.ts';
import { day } from './day.ts';
import { type Project, projects, type Step } from './projects.ts';
import { keepReplay, type ReplayRow } from './results.ts';
import { openServed, type Served } from './served.ts';
import { differences, namedAnew, treeOf } from './tree.ts';

const { values } = parseArgs({
  options: {
    day: { type: 'boolean' },
    only: { type: 'string' },
    process: { type: 'string' },
    keep: { type: 'boolean' },
  },
});
const settings: Record<string, unknown> = values.process === undefined ? {} : JSON.parse(values.process);
const base = mkdtempSync('/var/tmp/sekisho-replay-');
const temporary = join(base, 'tmp');
mkdirSync(temporary);
const rows: ReplayRow[] = [];

try {
  for (const project of values.day ? day : projects) {
    if (values.only !== undefined && !project.name.includes(values.only)) continue;
    const missing = project.needs.filter((program) => spawnSync('which', [program]).status !== 0);
    if (missing.length > 0) console.log(`${project.name}: left out, no ${missing.join(', ')} here`);
    else await replay(project);
  }
  if (values.keep) keepReplay(values.day ? 'day' : 'projects', rows);
  const sum = (key: 'steps' | 'same' | 'onlyHere' | 'questions') =>
    rows.reduce((total, row) => total + row[key], 0);
  const percent = (100 * sum('same')) / Math.max(1, sum('steps'));
  console.log(
    `${sum('same')} of ${sum('steps')} steps the same (${percent.toFixed(1)} %), ${sum('onlyHere')} fail only here, ${sum('questions')} questions`,
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
  const fetched = bash(fetch, folder);
  if (fetched.code !== 0) throw new Error(`${name}: ${fetched.printed}`);
  for (const [key, value] of [
    ['user.name', 'Mai'],
    ['user.email', 'mai@example.com'],
  ] as const)
    execFileSync('git', ['-C', folder, 'config', key, value]);
  await using served = await openServed(folder, base, settings);
  const counted = { same: 0, onlyHere: 0, questions: 0 };
  for (const step of steps) {
    const { title, plain: script, sent } = asStep(step);
    process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${name}: ${title}\n`);
    bring(folder, before);
    empty(temporary);
    const first = bash(script, folder);
    const once = treeOf(folder);
    bring(before, folder);
    empty(temporary);
    const plain = bash(script, folder);
    const twice = treeOf(folder);
    bring(folder, after);
    bring(before, folder);
    const ours = await served.run(sent);
    const volatile = new Set(differences(once, twice));
    const isNamedAnew = namedAnew(once, twice);
    const differing = differences(twice, treeOf(folder)).filter(
      (path) => !volatile.has(path) && !isNamedAnew(path),
    );
    counted.questions += ours.questions.length;
    for (const question of ours.questions)
      console.log(`${name}: ${title}\n  asked: ${question.split('\n').slice(-4).join(' ').slice(0, 300)}`);
    if (ours.code === plain.code && differing.length === 0) counted.same++;
    else {
      if (plain.code === 0) counted.onlyHere++;
      console.log(`${name}: ${title}`);
      console.log(
        `  exit code ${plain.code} by bash, ${ours.code ?? 'none'} here; differing: ${differing.slice(0, 3).join(', ')}`,
      );
      for (const line of ours.words.trim().split('\n').slice(-6)) console.log(`  | ${line.slice(0, 200)}`);
    }
    if (values.day) showPrinted(`${name}: ${title}`, first, plain, ours);
    bring(after, folder);
  }
  rows.push({ name, ...counted, steps: steps.length });
  console.log(`${name}: ${counted.same} of ${steps.length} steps the same`);
}

function asStep(step: Step) {
  if (typeof step === 'string') {
    const title = step.split('\n', 1)[0] ?? '';
    return { title, plain: step, sent: { name: 'bash', arguments: { command: step } } };
  }
  const { plain, tool, input } = step;
  return {
    title: `${tool} ${JSON.stringify(input).slice(0, 120)}`,
    plain,
    sent: { name: tool, arguments: input },
  };
}

/** Lines that bash alone printed both times and that are not here. */
function showPrinted(title: string, first: Printed, plain: Printed, ours: Served): void {
  const here = new Set(linesOf(ours.printed));
  const again = new Set(linesOf(first.printed));
  const missing = linesOf(plain.printed).filter((line) => again.has(line) && !here.has(line));
  if (missing.length === 0 || ours.printed === '' || /truncated|\[… /.test(ours.words)) return;
  console.log(`${title}\n  not printed here:`);
  for (const line of missing.slice(0, 4)) console.log(`  - ${line.slice(0, 200)}`);
  const extra = linesOf(ours.printed).filter((line) => !again.has(line));
  for (const line of extra.slice(0, 4)) console.log(`  + ${line.slice(0, 200)}`);
}

/** Times and folders for temporary files differ each time. */
function linesOf(printed: string): readonly string[] {
  return printed
    .replaceAll(temporary, '/tmp')
    .replace(/\d+(\.\d+)?( ?(ms|s|seconds)\b)/g, 'N')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

interface Printed {
  readonly code: number;
  readonly printed: string;
}

function bash(script: string, cwd: string): Printed {
  const output = join(base, 'output');
  const descriptor = openSync(output, 'w');
  try {
    const { status } = spawnSync('bash', ['--norc', '--noprofile', '-c', script], {
      cwd,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', descriptor, descriptor],
      timeout: 300_000,
    });
    return { code: status ?? 255, printed: readFileSync(output, 'utf8') };
  } finally {
    closeSync(descriptor);
  }
}

function empty(folder: string): void {
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true });
}

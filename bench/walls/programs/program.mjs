/** Harms what globs name: PROCESSES SWAPPED OP GLOB [OP GLOB...]; see programs.ts. */
import fs from 'node:fs';
import path from 'node:path';
import { isMainThread, threadId, Worker, workerData } from 'node:worker_threads';

const [processes, swapped, ...steps] = process.argv.slice(2);
const mine = `made${process.pid}-${threadId}`;

function made() {
  fs.writeFileSync(mine, 'made\n');
  return mine;
}

const operations = {
  delete: (file) => fs.unlinkSync(file),
  clear: (file) => fs.rmSync(file, { recursive: true }),
  empty: (file) => fs.writeFileSync(file, ''),
  overwrite: (file) => fs.writeFileSync(file, 'over\n'),
  patch: (file) => fs.writeFileSync(file, 'over', { flag: 'r+' }),
  append: (file) => fs.appendFileSync(file, 'over'),
  truncate: (file) => fs.truncateSync(file, 3),
  map: (file) => fs.copyFileSync('/dev/null', file),
  replace: (file) => fs.renameSync(made(), file),
  link(file) {
    fs.symlinkSync('/dev/null', `${mine}l`);
    fs.renameSync(`${mine}l`, file);
  },
  hard(file) {
    fs.linkSync(made(), `${mine}h`);
    fs.renameSync(`${mine}h`, file);
  },
  move(file) {
    fs.renameSync(file, mine);
    fs.rmSync(mine, { recursive: true });
  },
  exchange(file) {
    fs.renameSync(file, `${mine}x`);
    fs.renameSync(made(), file);
    fs.unlinkSync(`${mine}x`);
  },
  plant(file) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, 'planted\n');
  },
};

function attempt(operation) {
  try {
    operation();
  } catch {
    // The next one may go.
  }
}

function swap() {
  for (;;)
    for (const step of [
      () => fs.renameSync(swapped, 'aside'),
      () => fs.symlinkSync('../documents', swapped),
      () => fs.unlinkSync(swapped),
      () => fs.renameSync('aside', swapped),
    ])
      attempt(step);
}

function plan() {
  return steps.flatMap((name, at) => (at % 2 === 0 ? [[name, named(steps[at + 1])]] : []));
}

function named(pattern) {
  if (!pattern.includes('*')) return [pattern];
  try {
    return fs.globSync(pattern).toSorted();
  } catch {
    return [];
  }
}

function work({ planned, at }) {
  for (const [name, paths] of planned)
    for (let index = at; index < paths.length; index += Number(processes))
      attempt(() => operations[name](paths[index]));
}

if (isMainThread) {
  const planned = plan();
  const start = (at) =>
    new Worker(new URL(import.meta.url), { workerData: { planned, at }, argv: process.argv.slice(2) });
  if (swapped !== '-') start('swap');
  const workers = Array.from({ length: Number(processes) }, (_, at) => start(at));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
  process.exit(0);
} else if (workerData.at === 'swap') swap();
else work(workerData);

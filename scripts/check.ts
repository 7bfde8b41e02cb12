/**
 * What must hold before a change lands, in one run: `npm test`. A step that fails does not hide the next. What takes minutes
 * beside it is in `npm run test:all`.
 */
import { spawnSync } from 'node:child_process';

const steps: readonly (readonly [title: string, command: readonly string[]])[] = [
  ['format and lint', ['biome', 'ci', '--diagnostic-level=warn', '.']],
  ['types', ['tsc', '-p', '.']],
  ['unused code', ['knip']],
  ['build', ['node', 'scripts/build.ts']],
  ['package', ['publint', '--strict']],
  ['tests', ['vitest', 'run', '--project', 'rooms', '--project', 'product']],
];

const failed: string[] = [];
for (const [title, [command = '', ...args]] of steps) {
  const startedMs = Date.now();
  process.stdout.write(`\n── ${title}\n`);
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) console.error(error.message);
  if (status !== 0) failed.push(title);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`   ${title}: ${seconds} s${status === 0 ? '' : ', FAILED'}\n`);
}
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join('; ')}.`);
  process.exit(1);
}

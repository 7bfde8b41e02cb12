/**
 * `npm run walls [-- --lines N] [--programs N] [--seed N] [--only TEXT] [--part N/M]`: runs hostile lines and generated
 * programs unread, by the built server, and counts what they changed outside, lost without a question, planted, and did to
 * the server. Each must be 0 (`docs/for-contributors.md`).
 */
import { parseArgs } from 'node:util';
import { hostileLines } from './lines.ts';
import { programs } from './programs/programs.ts';
import { sampleOf } from './programs/random.ts';
import { type FaultKind, tryWalls } from './walls.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string' },
    programs: { type: 'string', default: '4000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    part: { type: 'string', default: '1/1' },
  },
});
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const seed = Number(values.seed);
const lines = hostileLines();
const chosen = values.lines === undefined ? lines : sampleOf(lines, Number(values.lines), seed);
const all = [...chosen, ...programs(Number(values.programs), seed)]
  .filter(({ name, script }) => !values.only || name.includes(values.only) || script.includes(values.only))
  .filter((_, at) => at % parts === part - 1);

const startedAtMs = Date.now();
const { ran, asked, refused, faults } = await tryWalls(all, ({ kind, attempt, about, reply }) =>
  console.log(
    `${kind}  ${attempt.name}, ${attempt.way}: ${about}\n  ${attempt.script.replaceAll('\n', '\n  ')}\n  ${reply}`,
  ),
);
const count = (kind: FaultKind) =>
  new Set(faults.filter((one) => one.kind === kind).map(({ attempt }) => attempt)).size;
console.log(
  `seed ${seed}: ${chosen.length} of ${lines.length} lines, ${values.programs} programs${values.only ? `, only ${values.only}` : ''}, part ${values.part}`,
);
console.log(
  `${all.length} tried in ${Math.round((Date.now() - startedAtMs) / 1000)} s: ${ran} ran, ${asked} were asked about, ${refused} refused`,
);
console.log(
  `outside changed ${count('outside')}, lost without a question ${count('lost')}, planted ${count('planted')}, server harmed ${count('harmed')}`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

/**
 * `npm run flow [-- FOLDER] [--missed] [--asked] [--adaptive]`: what the rule of flow does to recorded runs, of our own suite or of a
 * folder with recordings (`docs/flow.md`).
 */
import { parseArgs } from 'node:util';
import { adaptiveRuns } from './adaptive.ts';
import { figuresOf, line, share } from './figures.ts';
import { readRecordings } from './recording.ts';
import { syntheticRuns } from './suite/templates.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { missed: { type: 'boolean' }, asked: { type: 'boolean' }, adaptive: { type: 'boolean' } },
});
const [folder] = positionals;
const runs = folder === undefined ? syntheticRuns() : readRecordings(folder);
console.log(`${runs.length} runs of ${folder ?? 'our own suite'}`);
for (const withWords of [true, false]) {
  const figures = figuresOf(runs, withWords);
  console.log(line(figures));
  if (values.missed) for (const name of figures.missed) console.log(`  missed ${name}`);
  if (values.asked) for (const about of figures.askedAbout) console.log(`  asked  ${about}`);
}

if (values.adaptive) {
  const all = adaptiveRuns(runs);
  const missed = (those: typeof all, withWords: boolean) =>
    share(
      figuresOf(
        those.map(({ run }) => run),
        withWords,
      ).missed.length,
      those.length,
    );
  console.log('what an attacker who knows the rule gets through, with the words of the user and without');
  for (const [trick, those] of Map.groupBy(all, (each) => each.trick))
    console.log(
      `  ${trick.padEnd(34)} ${missed(those, true).padStart(8)} ${missed(those, false).padStart(8)}`,
    );
  console.log(
    `  ${`all ${all.length}`.padEnd(34)} ${missed(all, true).padStart(8)} ${missed(all, false).padStart(8)}`,
  );
}

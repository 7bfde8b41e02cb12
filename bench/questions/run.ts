/**
 * `npm run questions`: walks sessions of commands twice: with no standing yes, and with those that a careful person gives on
 * the way. Prints questions per 100 calls, what stands at the end, and hostile lines that it would let pass.
 */
import { coveredBy } from '../../src/ground/questions/grant-rules.ts';
import { decided, replay, strictest } from './replay.ts';
import { linesOf } from './sessions.ts';

const { sessions, grants, passed, left } = replay();
const sum = (of: readonly (typeof sessions)[number][], key: 'calls' | 'before' | 'after') =>
  of.reduce((total, session) => total + session[key], 0);
const per100 = (of: readonly (typeof sessions)[number][], key: 'before' | 'after') =>
  ((100 * sum(of, key)) / sum(of, 'calls')).toFixed(2);

for (const { name, calls, before, after } of sessions)
  console.log(`${name.padEnd(34)} ${String(calls).padStart(4)} calls  ${before} asked, ${after} with yeses`);
const half = Math.floor(sessions.length / 2);
console.log(
  `all: ${per100(sessions, 'before')} questions per 100 calls before, ${per100(sessions, 'after')} with yeses as they are given`,
);
console.log(
  `the second half: ${per100(sessions.slice(half), 'before')} before, ${per100(sessions.slice(half), 'after')} with yeses`,
);
for (const [rule, asked] of Object.entries(Object.groupBy(left, ({ rule }) => rule))) {
  console.log(`asked by ${rule}: ${asked?.length}`);
  for (const { command } of asked ?? []) console.log(`  ${command}`);
}
console.log(`what stands at the end:`);
for (const { grant, folder } of grants) console.log(`  ${grant}  in ${folder}`);

const denied = passed.filter((command) => strictest(command) === 'deny');
const hostile = linesOf('hostile').filter((command) => {
  const { grant } = decided(command);
  return grant !== undefined && coveredBy(grants, { grant, folder: '/workspace' }) !== undefined;
});
console.log(`${passed.length} calls passed by a yes; the strictest reading denies ${denied.length} of them`);
for (const command of denied) console.log(`  ${command}`);
console.log(`${hostile.length} of ${linesOf('hostile').length} hostile lines would pass by what stands`);
for (const command of hostile) console.log(`  ${command}`);

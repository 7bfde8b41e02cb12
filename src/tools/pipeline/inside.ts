import { posix } from 'node:path';
import type { StagePlan } from '../../contract/capabilities/pipeline.ts';
import type { Reading } from './reading.ts';

/**
 * Do the paths of a pipeline stay inside, by their words alone? A suggestion is not made of one that the run would
 * refuse; what may be opened is still decided where it is opened.
 */
export function staysInside(reading: Reading, cwd: string): boolean {
  if (reading.kind === 'pwd') return true;
  if (reading.kind === 'cd') return reading.path === undefined || isInside(reading.path, cwd);
  return reading.stages.every((stage) => pathsOf(stage).every((path) => isInside(path, cwd)));
}

const readers = new Set([
  'tail',
  'head',
  'sort',
  'wc',
  'tr',
  'sed',
  'cat',
  'uniq',
  'cut',
  'nl',
  'tac',
  'paste',
  'column',
]);

/** Would it wait for input that nobody gives? Such a pipeline says nothing. */
export function readsNothing(reading: Reading): boolean {
  const work = reading.kind === 'pipeline' ? reading.stages[0]?.work : undefined;
  if (work?.kind !== 'program' || work.args.some((arg) => typeof arg !== 'string')) return false;
  if (work.program === 'awk')
    return !work.args.some((arg) => typeof arg === 'string' && arg.includes('BEGIN'));
  return work.program === 'jq' ? !work.args.includes('-n') : readers.has(work.program);
}

function isInside(path: string, cwd: string): boolean {
  if (path.startsWith('/')) return false;
  const plain = posix.normalize(posix.join(cwd.startsWith('/') ? '.' : cwd, path));
  return plain !== '..' && !plain.startsWith('../');
}

function pathsOf({ work }: StagePlan): readonly string[] {
  switch (work.kind) {
    case 'program':
      return [
        ...work.args.flatMap((arg) => (typeof arg === 'string' ? [] : ['file' in arg ? arg.file : arg.path])),
        ...work.reads,
      ];
    case 'tee':
      // The mirror is not written by tools.
      return posix.normalize(work.target).toLowerCase().startsWith('.shelpa') ? ['..'] : [work.target];
    case 'find-names':
      return work.query.below;
    case 'outline':
      return [work.path];
    case 'outline-check':
      return [work.file];
    case 'symbols':
      return [work.query.below];
  }
}

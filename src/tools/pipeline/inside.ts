import { posix } from 'node:path';
import type { StagePlan } from '../../contract/capabilities/pipeline.ts';

/** A pipeline that may run, or a change of the working folder. */
export type Reading =
  | { readonly kind: 'pipeline'; readonly stages: readonly StagePlan[] }
  | { readonly kind: 'pwd' }
  | { readonly kind: 'cd'; readonly path: string | undefined };

/** Whether a pipeline's paths stay inside by their words: no suggestion that the run refuses. The opening decides. */
export function staysInside(reading: Reading, cwd: string): boolean {
  if (reading.kind === 'pwd') return true;
  if (reading.kind === 'cd') return reading.path === undefined || isInside(reading.path, cwd);
  return reading.stages.every((stage) => pathsOf(stage).every((path) => isInside(path, cwd)));
}

const readers = new Set('tail head sort wc tr sed cat uniq cut nl tac paste column'.split(' '));

/** Whether it would wait for input that never comes. Such a pipeline prints nothing. */
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
      // Tools must not write the mirror.
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

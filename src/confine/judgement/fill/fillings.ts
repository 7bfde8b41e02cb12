import type { Place } from '../syntax/walk.ts';
import type { Variables } from '../variables/values.ts';
import { programsFound } from '../words/substitutions.ts';
import { literalWord, type Word } from '../words/word.ts';
import { type createCalls, isPositional } from './calls.ts';
import { expand } from './expand.ts';
import { nameIn } from './program-name.ts';

/** A command whose words may be filled in. */
interface Fillable {
  readonly words: readonly Word[];
  readonly place: Place;
  readonly isOwn: boolean;
  readonly fillings: number;
}

interface Held<Job> {
  readonly job: Job;
  readonly rule: string;
}

/** Values that lead to values that lead to a command. */
export const maxFillings = 4;
/** Commands that come of filling in, all together: more than these nobody writes. */
const maxFilled = 1000;

/**
 * Commands that cannot be read before all variables are known. They are held back until everything else is read, and
 * again when what was read since may have given other values to what was filled in before.
 */
export function createFillings<Job extends Fillable>(
  variables: Variables,
  calls: ReturnType<typeof createCalls>,
) {
  const held: Held<Job>[] = [];
  const settled: Held<Job>[] = [];
  const ways = new Map<Job, Set<string>>();
  let readBefore = -1;
  let filledIn = 0;

  return {
    hold(job: Job, rule: string): void {
      held.push({ job, rule });
    },
    /** One of them, as all that it may be, or as what must be read as it stands; nothing when all are read. */
    release(done: number) {
      if (held.length === 0 && settled.length > 0 && readBefore !== done) {
        readBefore = done;
        held.push(...settled.splice(0));
      }
      const one = held.pop();
      if (!one) return undefined;
      const filled = fill(one.job);
      if (!filled) {
        const job = { ...one.job, words: [...one.job.words], fillings: maxFillings };
        return { isFilled: false as const, job, rule: one.rule };
      }
      settled.push(one);
      return { isFilled: true as const, jobs: filled.filter(({ words }) => isNew(one.job, words)) };
    },
  };

  function fill(job: Job): readonly Job[] | undefined {
    if (job.fillings >= maxFillings || filledIn > maxFilled) return undefined;
    const from = job.isOwn ? job.place.functions.at(-1) : null;
    const called = job.words.some(isPositional) ? calls.filled(job.words, from) : [job.words];
    const lists = called?.map(
      (words) => expand(words, variables) ?? named(words) ?? (words === job.words ? undefined : [words]),
    );
    if (!lists?.every((list) => list !== undefined)) return undefined;
    filledIn += lists.flat().length;
    // An empty name starts nothing.
    return lists
      .flat()
      .filter(([name]) => name && name.value !== '')
      .map((words) => ({ ...job, words: [...words], fillings: job.fillings + 1 }));
  }

  /** `$VIRTUAL_ENV/bin/python`: what no part of the script chooses is the environment's. */
  function named([first, ...rest]: readonly Word[]): readonly (readonly Word[])[] | undefined {
    if (first?.value !== undefined) return undefined;
    const found = programsOf(first);
    if (found) return found.map((name) => [literalWord(name), ...rest]);
    const name = nameIn(first, (variable) => !variables.has(variable));
    return name ? [[literalWord(name), ...rest]] : undefined;
  }

  /** `"$(which python3)"`, or a variable that holds what it says. */
  function programsOf(word: Word | undefined): readonly string[] | undefined {
    const [only, ...more] = word?.pieces ?? [];
    if (more.length > 0) return undefined;
    if (only?.kind === 'unknown') return programsFound(only.script);
    return only?.kind === 'variable' ? variables.programs(only.name) : undefined;
  }

  function isNew(job: Job, words: readonly Word[]): boolean {
    const known = ways.get(job) ?? new Set<string>();
    const size = known.size;
    ways.set(job, known.add(words.map(({ value, text }) => value ?? `\0${text}`).join('\0\0')));
    return known.size > size;
  }
}

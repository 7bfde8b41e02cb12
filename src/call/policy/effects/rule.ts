import type { DryRunChange } from '../../../contract/capabilities/dry-run.ts';
import { type EffectDecision, type EffectRule, mostDeleted } from '../../../contract/effects.ts';
import { ConfigError } from '../../../contract/error.ts';
import { type Text, text, verbatim } from '../../../contract/text/text.ts';
import { createPathGlob, mayFitBelow } from '../../../ground/glob/rule-glob.ts';
import { naming } from '../rule.ts';
import { losesFiles, unlistedText } from './builtin.ts';
import { type EffectFacts, isDeletedFolder } from './facts.ts';

/** A rule of the operator, ready to use on facts. */
export interface ReadyRule<Facts> {
  readonly id: string;
  readonly decision: EffectDecision;
  readonly answer?: 'person' | undefined;
  readonly writtenAt: string;
  /** Returns the finding; undefined if the rule does not fit. */
  finds(facts: Facts): Text | undefined;
}

/** How each key of `effect` reads the facts. */
export type Finds<Facts> = (facts: Facts) => Text | undefined;

/** An ask or deny fits if any change may; an allow if each is known to. `ConfigError` names a rule that is wrong. */
export function readEffectRule(rule: EffectRule, place: number): ReadyRule<EffectFacts> {
  return readRule(rule, place, ({ deletes, writes, outside }) => {
    const isSure = rule.then === 'allow';
    if (isSure && (writes === undefined || deletes !== undefined || outside !== undefined))
      throw new ConfigError(
        'an effect with "then": "allow" can only use writes',
        '許可する effect には、書き込んでよい場所を writes だけで指定してください',
      );
    const finds: Finds<EffectFacts>[] = [];
    if (deletes !== undefined) finds.push(findsLost(deletes));
    if (writes !== undefined) finds.push(isSure ? findsOnly(writes) : findsWritten(writes));
    if (outside !== undefined) finds.push(findsOutside(outside));
    return finds;
  });
}

/** All of the finds must fit; the first one tells why. */
export function readRule<Facts>(
  rule: EffectRule,
  place: number,
  findsOf: (effect: EffectRule['effect']) => readonly Finds<Facts>[],
): ReadyRule<Facts> {
  const id = rule.id ?? `rules[${place}]`;
  return naming(id, () => {
    const finds = findsOf(rule.effect);
    return {
      id,
      decision: rule.then,
      answer: rule.answer,
      writtenAt: rule.writtenAt ?? 'settings',
      finds(facts) {
        const found = finds.map((find) => find(facts));
        if (found.includes(undefined)) return undefined;
        const [because] = found;
        return rule.because === undefined ? because : verbatim(rule.because);
      },
    };
  });
}

function findsLost(deletes: string): Finds<EffectFacts> {
  const most = mostDeleted(deletes);
  if (most === undefined)
    throw new ConfigError(
      'deletes must be like "> 20 files"',
      'deletes は "> 20 files" のように指定してください',
    );
  // An unlisted change may be a folder with any number of files.
  return ({ lostFiles, unlisted }) =>
    lostFiles > most ? losesFiles(lostFiles, unlisted) : unlistedText(unlisted);
}

/** A pattern that begins with `/` is compared with host paths, any other with paths below a root. */
function createChangeGlob(pattern: string): (change: DryRunChange) => boolean {
  const fits = createPathGlob(pattern);
  return (change) => fits(pathFor(pattern, change));
}

function pathFor(pattern: string, { root, path }: DryRunChange): string {
  return pattern.startsWith('/') ? `${root === '/' ? '' : root}/${path}` : path;
}

function findsWritten(pattern: string): Finds<EffectFacts> {
  const fits = createChangeGlob(pattern);
  const may = (change: DryRunChange) =>
    fits(change) || (isDeletedFolder(change) && mayFitBelow(pattern, pathFor(pattern, change)));
  return ({ changes, unlisted }) => {
    const found = changes.find(may);
    return found ? writesText(found) : unlistedText(unlisted);
  };
}

/** Fits if all effects match the pattern. */
function findsOnly(pattern: string): Finds<EffectFacts> {
  const fits = createChangeGlob(pattern);
  return ({ changes, unlisted }) =>
    unlisted === 0 && changes.every(fits)
      ? text(`it writes only ${pattern}`, `${pattern} だけに書き込みます`)
      : undefined;
}

function findsOutside(patterns: readonly string[]): Finds<EffectFacts> {
  const globs = patterns.map(createChangeGlob);
  return ({ changes, unlisted }) => {
    const found = changes.find((change) => !globs.some((fits) => fits(change)));
    if (!found) return unlistedText(unlisted);
    const what = writesText(found);
    const where = patterns.join(', ');
    return text(`${what.en}, outside of ${where}`, `${what.ja} (${where} の外)`);
  };
}

function writesText({ change, path }: DryRunChange): Text {
  if (change === 'deleted') return text(`it deletes ${path}`, `${path} を削除します`);
  return text(`it writes ${path}`, `${path} を書き込みます`);
}

/** What came of one case. */
export interface Outcome {
  readonly id: string;
  readonly group: string;
  readonly isBad: boolean;
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * `stopped` and `asked` contain a bad case, `told` warns the model and lets the text through. A good case is to `pass`; there
 * `stopped` and `asked` are wrong.
 */
export type Verdict = 'stopped' | 'asked' | 'told' | 'passed' | 'not applicable';

interface Tally {
  readonly bad: number;
  readonly stopped: number;
  readonly asked: number;
  readonly told: number;
  readonly letThrough: number;
  readonly good: number;
  readonly wronglyStopped: number;
  readonly wronglyAsked: number;
  readonly wronglyTold: number;
  readonly notApplicable: number;
}

function tally(outcomes: readonly Outcome[]): Tally {
  const count = (isBad: boolean, verdict?: Verdict) =>
    outcomes.filter(
      (each) =>
        each.isBad === isBad &&
        (verdict === undefined ? each.verdict !== 'not applicable' : each.verdict === verdict),
    ).length;
  return {
    bad: count(true),
    stopped: count(true, 'stopped'),
    asked: count(true, 'asked'),
    told: count(true, 'told'),
    letThrough: count(true, 'passed'),
    good: count(false),
    wronglyStopped: count(false, 'stopped'),
    wronglyAsked: count(false, 'asked'),
    wronglyTold: count(false, 'told'),
    notApplicable: outcomes.filter(({ verdict }) => verdict === 'not applicable').length,
  };
}

export function lineOf(title: string, outcomes: readonly Outcome[]): string {
  const t = tally(outcomes);
  const contained = t.stopped + t.asked + t.told;
  return [
    `${title}: contained ${contained} of ${t.bad} (stopped ${t.stopped}, asked ${t.asked}, told ${t.told}),`,
    `let through ${t.letThrough}; of ${t.good} good ones wrongly stopped ${t.wronglyStopped}, asked ${t.wronglyAsked},`,
    `told ${t.wronglyTold}; not applicable ${t.notApplicable}`,
  ].join(' ');
}

import { randomUUID } from 'node:crypto';
import type { Attended, CommandLine, Commands, RunOptions } from '../../contract/capabilities/process.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { callDigest } from '../approve.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { createHolding } from './holding.ts';
import { holdLate, type SettleDependencies, settle } from './settle.ts';

/**
 * The same commands, but the effects of one that runs on a layer are judged before they land. A repeated call whose
 * layer waits for a person continues with that layer and runs nothing.
 */
export function onLayer(
  commands: Commands,
  permit: Permit,
  dependencies: SettleDependencies,
  notes: RunNotes,
): Commands {
  const digest = callDigest(permit, permit.risk);
  const { held, rules } = dependencies;
  const isTried = permit.onLayer === true;
  const effects = {
    isTried,
    readChanges: rules.readChanges,
    isObeyed: rules.isObeyed,
    allows: (found) => rules.decide(found, isTried).decision === 'allow',
  } satisfies RunOptions['effects'];

  async function attend(
    options: RunOptions,
    run: (judged: RunOptions) => Promise<Attended>,
  ): Promise<Attended> {
    const waiting = options.dryRun ? undefined : held.take(permit, digest);
    if (waiting) return ended(await settle(waiting, permit, digest, dependencies, notes));
    const holding = createHolding(permit, dependencies, notes, false);
    const attended = await run({
      ...options,
      effects,
      onWatchedHold: holding.ask,
      onDirect: (why) => {
        notes.facts.direct = why;
      },
      onHeld: (layer, result) =>
        holdLate({ layer, result, digest: randomUUID() }, permit, digest, dependencies),
    });
    if (attended.kind === 'going') return attended;
    holding.assertNotRefused();
    const { dryRun, landed } = attended.result;
    // The verdict that its effects would get.
    if (dryRun) return ended({ ...attended.result, verdict: rules.decide(dryRun, true) });
    if (landed?.kind !== 'held') return attended;
    const trial = { layer: landed.layer, result: attended.result, digest: randomUUID() };
    return ended(await settle(trial, permit, digest, dependencies, notes));
  }

  return {
    ...commands,
    async run(line: CommandLine, options) {
      const attended = await attend(options, async (judged) => ended(await commands.run(line, judged)));
      if (attended.kind === 'going') throw new Error('nothing is handed over where nobody asked for it');
      return attended.result;
    },
    attend: (line, options) =>
      attend(options, (judged) => commands.attend(line, { ...judged, handOverMs: options.handOverMs })),
    start(line, options) {
      notes.facts.direct = whyInBackground;
      const { ask } = createHolding(permit, dependencies, notes, true);
      return commands.start(line, { ...options, effects, onWatchedHold: ask });
    },
  };
}

const whyInBackground: Text = text(
  'it was started in the background, where others must see its files',
  'バックグラウンドで開始され、他のコマンドがそのファイルを見る必要があります',
);

function ended(result: Extract<Attended, { kind: 'ended' }>['result']): Attended {
  return { kind: 'ended', result };
}

import type { CommandLine, Landed, RunOptions, Trial } from '../../../contract/capabilities/process.ts';
import { attend } from './attend.ts';
import type { Trial as OpenTrial } from './dry-run.ts';
import type { Runner } from './session.ts';

/** Runs a command on a layer that stays until it lands or is discarded. `whileLanding` looks after the landing. */
export async function runOnLayer(
  command: CommandLine,
  runOptions: RunOptions,
  runner: Runner,
  whileLanding: (land: () => Promise<Landed>) => Promise<Landed>,
): Promise<Trial> {
  let kept: OpenTrial | undefined;
  const attended = await attend(command, { ...runOptions, dryRun: true }, runner, (trial) => {
    kept = trial;
  });
  const trial = kept;
  if (attended.kind === 'going' || !attended.result.dryRun || !trial)
    throw new Error('what runs on a layer ends with its call, and says what it did');
  const { dryRun: effects, ...result } = attended.result;
  const { sandbox, options } = runner;
  return {
    result,
    effects,
    land: () =>
      whileLanding(async () => {
        try {
          return await trial.land({
            roots: sandbox.roots().all.map(({ hostPath }) => hostPath),
            protectedNames: options.readOnlyNames ?? [],
          });
        } finally {
          await trial.close();
        }
      }),
    discard: () => trial.close(),
  };
}

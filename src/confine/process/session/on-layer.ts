import type { CommandLine, Landed, RunOptions, Trial } from '../../../contract/capabilities/process.ts';
import type { Named } from '../../git/find-repositories.ts';
import { protectedAnywhere } from '../../layer/protection.ts';
import { attend } from './attend.ts';
import type { Trial as OpenTrial } from './dry-run.ts';
import type { Runner } from './session.ts';

/** Runs a command on a layer that stays until it lands or is discarded. `whileLanding` looks after what that leaves. */
export async function runOnLayer(
  command: CommandLine,
  runOptions: RunOptions,
  runner: Runner,
  whileLanding: (land: () => Promise<Landed>, left: readonly Named[]) => Promise<Landed>,
): Promise<Trial> {
  let kept: OpenTrial | undefined;
  const attended = await attend(command, { ...runOptions, dryRun: true }, runner, {
    keepsTrial(trial) {
      kept = trial;
    },
  });
  const trial = kept;
  if (attended.kind === 'going' || !attended.result.dryRun || !trial)
    throw new Error('what runs on a layer ends with its call, and says what it did');
  const { dryRun: effects, ...result } = attended.result;
  const { sandbox, options } = runner;
  const isProtected = protectedAnywhere(options.readOnlyNames ?? []);
  return {
    result,
    effects,
    land(keeper) {
      const left: Named[] = [];
      return whileLanding(async () => {
        try {
          return await trial.land({
            roots: sandbox.roots().all.map(({ hostPath }) => hostPath),
            isProtected,
            isLastWord: true,
            keeper,
            left,
          });
        } finally {
          await trial.close();
        }
      }, left);
    },
    discard: () => trial.close(),
  };
}

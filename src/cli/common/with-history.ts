import type { Checkpoint } from '../../checkpoint/index.ts';
import type { Flags } from '../../config/settings.ts';
import { withOperator } from './with-operator.ts';

/** Opens the history of the workspace that the flags name. */
export function withHistory(
  flags: Flags,
  use: (
    opened: Awaited<ReturnType<Checkpoint['history']>> & { readonly checkpoint: Checkpoint },
  ) => Promise<number>,
): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => use({ checkpoint, ...(await checkpoint.history()) }));
}

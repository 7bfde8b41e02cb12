import type { StagePlan } from '../../contract/capabilities/pipeline.ts';

/** A pipeline that may run, or a change of the working folder. */
export type Reading =
  | { readonly kind: 'pipeline'; readonly stages: readonly StagePlan[] }
  | { readonly kind: 'pwd' }
  | { readonly kind: 'cd'; readonly path: string | undefined };

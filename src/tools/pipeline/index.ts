import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { shelpaHistory, shelpaRestore } from './shelpa-history.ts';
import { createShelpaPipe } from './shelpa-pipe.ts';
import { shelpaWrite } from './shelpa-write.ts';

export interface PipelineToolsetOptions {
  /** Also cat, grep, uniq, cut, nl, tac, paste, comm, join, diff, column and find. */
  readonly extended: boolean;
}

/** Text processing by pipelines without a shell; every write is mirrored. */
export function createPipelineToolset(options: PipelineToolsetOptions): Toolset {
  return defineToolset('pipeline', [createShelpaPipe(options), shelpaWrite, shelpaHistory, shelpaRestore]);
}

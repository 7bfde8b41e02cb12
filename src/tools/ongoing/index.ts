import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { callResult } from './call-result.ts';

/** Served where calls may outlast what clients wait for. */
export function createOngoingToolset(): Toolset {
  return defineToolset('ongoing', [callResult]);
}

import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { callResult } from './call-result.ts';

/** Served if calls may outlast their clients' patience. */
export function createOngoingToolset(): Toolset {
  return defineToolset('ongoing', [callResult]);
}

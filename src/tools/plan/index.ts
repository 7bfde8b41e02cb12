import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { proposePlan } from './propose-plan.ts';

/** Served only if named: its tokens in every list pay off only for long tasks. */
export function createPlanToolset(): Toolset {
  return defineToolset('plan', [proposePlan]);
}

import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { proposePlan } from './propose-plan.ts';

/** Served where it is named: in every list it would cost tokens that only long tasks earn back. */
export function createPlanToolset(): Toolset {
  return defineToolset('plan', [proposePlan]);
}

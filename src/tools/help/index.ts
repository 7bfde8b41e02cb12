import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { help } from './help.ts';

/** Served beside every other toolset: what there is, and how to call it. */
export function createHelpToolset(): Toolset {
  return defineToolset('help', [help]);
}

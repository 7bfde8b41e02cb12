import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { help } from './help.ts';

/** Served with every other toolset: lists the tools, and how to call them. */
export function createHelpToolset(): Toolset {
  return defineToolset('help', [help]);
}

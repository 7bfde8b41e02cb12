import type * as z from 'zod';
import { defineTool, type LooseTool } from '../../contract/tool/define-tool.ts';
import type { ToolDefinition } from '../../contract/tool/tool.ts';

/** A tool of the capability `team`: for agents in a session and the coordinator, unless it says otherwise. */
export function teamTool<I extends z.ZodObject, O extends z.ZodObject>(
  definition: Omit<ToolDefinition<I, O, 'team'>, 'uses'>,
): LooseTool {
  return defineTool({ agentsOnly: true, ...definition, uses: ['team'] });
}

/** The hints of a tool that only reads, of one that changes something, and of one whose repetition changes no more. */
export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
export const changes = { ...reads, readOnly: false, idempotent: false };
export const settles = { ...reads, readOnly: false };

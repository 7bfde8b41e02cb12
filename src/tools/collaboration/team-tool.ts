import { teamActs } from '../../contract/team/acts.ts';
import type { Asked, Team } from '../../contract/team/team.ts';
import { defineTool, type LooseTool } from '../../contract/tool/define-tool.ts';
import type { ToolDefinition } from '../../contract/tool/tool.ts';

type Act = keyof typeof teamActs;
type Definition<A extends Act> = ToolDefinition<
  (typeof teamActs)[A]['input'],
  (typeof teamActs)[A]['output'],
  'team'
>;

/** A tool for one act of the capability `team`: for agents in a session and the coordinator, unless it says otherwise. */
export function teamTool<A extends Act>({
  act,
  ...words
}: { readonly act: A } & Omit<Definition<A>, 'input' | 'output' | 'uses' | 'run'>): LooseTool {
  return defineTool({
    agentsOnly: true,
    ...words,
    ...(teamActs[act] as Pick<Definition<A>, 'input' | 'output'>),
    uses: ['team'],
    run: (input, { team, signal }) =>
      (team[act] as Team['nextAction'])(input as Asked<'nextAction'>, signal) as never,
  });
}

/** The hints of a tool that only reads, of one that changes something, and of one whose repetition changes no more. */
export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
export const changes = { ...reads, readOnly: false, idempotent: false };
export const settles = { ...reads, readOnly: false };

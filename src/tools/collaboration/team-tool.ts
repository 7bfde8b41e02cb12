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

/** The fields that the tools of a table share, unless a row says otherwise. */
type Shared = Pick<Definition<Act>, 'category' | 'permission' | 'annotations'>;

/** The fields that a tool has for itself. */
type Own = 'uses' | 'run' | 'ja' | 'example';

/** Tools by their acts; without `ja` and `example` if an act takes nothing. */
type Rows = {
  readonly [A in Act]?: Omit<Definition<A>, keyof Shared | 'input' | 'output' | Own> &
    Partial<Shared> &
    Partial<Pick<Definition<A>, 'ja' | 'example'>>;
};

/** Tools for acts of the capability `team`: for agents in a session and the coordinator, unless a row says otherwise. */
export function teamTools(shared: Shared, rows: Rows): readonly LooseTool[] {
  return (Object.keys(rows) as Act[]).map((act) =>
    defineTool({
      agentsOnly: true,
      ja: {},
      example: {},
      ...shared,
      ...(rows[act] as object as Omit<Definition<'logout'>, keyof Shared | 'input' | 'output' | Own>),
      ...(teamActs[act] as object as Pick<Definition<'logout'>, 'input' | 'output'>),
      uses: ['team'],
      run: (input: object, { team, signal }) =>
        (team[act] as Team['nextAction'])(input as Asked<'nextAction'>, signal) as never,
    }),
  );
}

/** The hints of a tool that only reads, of one that changes something, and of one whose repetition changes no more. */
export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
export const changes = { ...reads, readOnly: false, idempotent: false };
export const settles = { ...reads, readOnly: false };

import type { TeamChanges } from '../contract/people/operator.ts';
import type { TeamAdmin } from '../contract/team/admin.ts';
import type { Perform } from './perform.ts';

type Change = keyof TeamChanges;
type About = Readonly<Record<string, unknown>>;

/** The log entry of each team change. Passkeys and tokens are only mentioned, never included. */
const changes: {
  readonly [C in Change]: {
    readonly tool: string;
    readonly about: (...args: Parameters<TeamChanges[C]>) => About;
  };
} = {
  addAgent: { tool: 'sekisho agent add', about: withoutPasskey },
  changeAgent: {
    tool: 'sekisho agent change',
    about: (id, change) => ({ id, ...withoutPasskey(change), ...(change.passkey && { passkey: 'new' }) }),
  },
  removeAgent: { tool: 'sekisho agent remove', about: (id) => ({ id }) },
  addProject: { tool: 'sekisho project add', about: (project) => ({ ...project }) },
  changeProject: { tool: 'sekisho project change', about: (id, change) => ({ id, ...change }) },
  assign: { tool: 'sekisho project assign', about: (agent, project) => ({ agent, project }) },
  unassign: { tool: 'sekisho project unassign', about: (agent, project) => ({ agent, project }) },
  setCoordinatorToken: { tool: 'sekisho coordinator token', about: () => ({}) },
  addTask: { tool: 'sekisho task add', about: (task) => ({ ...task }) },
  assignTask: { tool: 'sekisho task assign', about: (id, agent) => ({ id, agent }) },
  writeTo: {
    tool: 'sekisho chat',
    about: (agent, project, content) => ({ agent, project, content }),
  },
  cancelTask: { tool: 'sekisho task cancel', about: (id, reason) => ({ id, reason }) },
};

function withoutPasskey<A extends { readonly passkey?: string | undefined }>({
  passkey: _,
  ...agent
}: A): About {
  return agent;
}

/** The team changes as acts of one person. One that finds nothing to change is recorded as not found. */
export function createTeamActs(
  perform: Perform,
  admin: () => Promise<TeamAdmin>,
  allow: () => void,
): TeamChanges {
  const act =
    <C extends Change>(name: C) =>
    (...args: Parameters<TeamChanges[C]>) =>
      perform({ tool: changes[name].tool, arguments: changes[name].about(...args) }, async () => {
        allow();
        const change = (await admin())[name] as (
          ...args: Parameters<TeamChanges[C]>
        ) => ReturnType<TeamChanges[C]>;
        const result = await change(...args);
        return {
          result,
          code: result === false ? 'not_found' : undefined,
          facts: typeof result === 'string' ? { id: result } : undefined,
        };
      });
  const names = Object.keys(changes) as Change[];
  return Object.fromEntries(names.map((name) => [name, act(name)])) as unknown as TeamChanges;
}

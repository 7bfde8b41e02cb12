import { ConfigError } from '../../contract/error.ts';
import type { AgentRecord, TeamAdmin } from '../../contract/team/admin.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { TeamFile } from './file.ts';

/** One change: its description for a person, and the action. */
export interface PlannedChange {
  readonly line: Text;
  apply(): Promise<unknown>;
}

/** The changes that bring the records in line with the file, in a possible order. */
export async function planTeam(team: TeamFile, admin: TeamAdmin): Promise<readonly PlannedChange[]> {
  await checkTeam(team, admin);
  return [
    ...(await planProjects(team, admin)),
    ...(await planAgents(team, admin)),
    ...(await planToken(team, admin)),
  ];
}

async function planProjects(team: TeamFile, admin: TeamAdmin): Promise<readonly PlannedChange[]> {
  const known = new Map((await admin.projects()).map((project) => [project.id, project]));
  return team.projects.flatMap(({ id, name, working_directory: workingDirectory }): PlannedChange[] => {
    const project = known.get(id);
    if (!project)
      return [
        {
          line: text(`+ project ${id}`, `+ プロジェクト ${id}`),
          apply: () => admin.addProject({ id, name, workingDirectory }),
        },
      ];
    if (project.name === name && project.workingDirectory === workingDirectory) return [];
    return [
      {
        line: text(`~ project ${id}`, `~ プロジェクト ${id}`),
        apply: () => admin.changeProject(id, { name, workingDirectory }),
      },
    ];
  });
}

async function planAgents(team: TeamFile, admin: TeamAdmin): Promise<readonly PlannedChange[]> {
  const known = new Map((await admin.agents()).map((agent) => [agent.id, agent]));
  const changes: PlannedChange[] = [];
  // A former manager becomes a worker once its reports have moved.
  const demotions: PlannedChange[] = [];
  for (const agent of parentsFirst(team.agents)) {
    const record = known.get(agent.id);
    const wanted = {
      name: agent.name,
      hierarchy: agent.hierarchy,
      parentId: agent.parent,
      maxParallelTasks: agent.max_parallel_tasks ?? 1,
    };
    const { passkey } = agent;
    if (!record) {
      if (passkey === undefined)
        throw new ConfigError(
          `Agent ${agent.id} is new and needs a passkey.`,
          `エージェント ${agent.id} は新規なので、パスキーが必要です。`,
        );
      changes.push({
        line: text(
          `+ agent ${agent.id} (${agent.hierarchy}${agent.parent ? ` under ${agent.parent}` : ''})`,
          `+ エージェント ${agent.id}（${agent.hierarchy}${agent.parent ? `、上司 ${agent.parent}` : ''}）`,
        ),
        apply: () => admin.addAgent({ id: agent.id, ...wanted, passkey }),
      });
    } else {
      const isNewPasskey = passkey !== undefined && !(await admin.isPasskey(agent.id, passkey));
      const differs = [...differences(record, wanted), ...(isNewPasskey ? ['passkey'] : [])];
      if (differs.length > 0) {
        const isDemoted = record.hierarchy === 'manager' && agent.hierarchy === 'worker';
        (isDemoted ? demotions : changes).push({
          line: text(
            `~ agent ${agent.id}: ${differs.join(', ')}`,
            `~ エージェント ${agent.id}: ${differs.join('、')}`,
          ),
          apply: () => admin.changeAgent(agent.id, { ...wanted, ...(isNewPasskey ? { passkey } : {}) }),
        });
      }
    }
    for (const project of agent.projects.filter((one) => !record?.projects.includes(one))) {
      changes.push({
        line: text(`+ ${agent.id} works on ${project}`, `+ ${agent.id} をプロジェクト ${project} に割り当て`),
        apply: () => admin.assign(agent.id, project),
      });
    }
    for (const project of (record?.projects ?? []).filter((one) => !agent.projects.includes(one))) {
      changes.push({
        line: text(`- ${agent.id} works on ${project}`, `- ${agent.id} をプロジェクト ${project} から外す`),
        apply: () => admin.unassign(agent.id, project),
      });
    }
  }
  return [...changes, ...demotions];
}

async function planToken(
  { coordinator_token: token }: TeamFile,
  admin: TeamAdmin,
): Promise<readonly PlannedChange[]> {
  if (token === undefined || (await admin.isCoordinatorToken(token))) return [];
  return [
    {
      line: text('~ coordinator token', '~ コーディネータートークン'),
      apply: () => admin.setCoordinatorToken(token),
    },
  ];
}

function differences(record: AgentRecord, wanted: Partial<AgentRecord>): readonly string[] {
  return (Object.keys(wanted) as (keyof AgentRecord)[]).filter((key) => record[key] !== wanted[key]);
}

function parentsFirst(agents: TeamFile['agents']): TeamFile['agents'] {
  const names = new Set(agents.map((agent) => agent.id));
  const placed = new Set<string>();
  const sorted: TeamFile['agents'] = [];
  while (sorted.length < agents.length) {
    const next = agents.filter(
      ({ id, parent }) =>
        !placed.has(id) && (parent === undefined || !names.has(parent) || placed.has(parent)),
    );
    if (next.length === 0)
      throw new ConfigError(
        'agents: the parents form a circle, or an id is listed twice.',
        'agents: 上司の関係が循環しているか、同じ ID が 2 回書かれています。',
      );
    for (const agent of next) {
      if (placed.has(agent.id))
        throw new ConfigError(
          `agents: ${agent.id} is listed twice.`,
          `agents: ${agent.id} が 2 回書かれています。`,
        );
      placed.add(agent.id);
      sorted.push(agent);
    }
  }
  return sorted;
}

/** Throws before any change if the file cannot be applied as a whole: half a team is useless. */
async function checkTeam(team: TeamFile, admin: TeamAdmin): Promise<void> {
  const inFile = team.projects.map((project) => project.id);
  const twice = inFile.find((id, index) => inFile.indexOf(id) !== index);
  if (twice !== undefined)
    throw new ConfigError(
      `projects: ${twice} is listed twice.`,
      `projects: ${twice} が 2 回書かれています。`,
    );
  const projects = new Set([...inFile, ...(await admin.projects()).map((project) => project.id)]);
  const agents = agentsAfter(team, await admin.agents());
  for (const { id, projects: wanted, passkey } of team.agents) {
    const unknown = wanted.find((project) => !projects.has(project));
    if (unknown !== undefined)
      throw new ConfigError(
        `agents.${id}.projects: there is no project ${JSON.stringify(unknown)}.`,
        `agents.${id}.projects: プロジェクト ${JSON.stringify(unknown)} はありません。`,
      );
    assertLength(`agents.${id}.passkey`, passkey, 8);
  }
  for (const { id, parent } of agents.values()) {
    if (parent === undefined) continue;
    const above = agents.get(parent);
    if (above?.hierarchy === 'manager') continue;
    throw new ConfigError(
      above
        ? text(
            `agents.${parent}.hierarchy: ${parent} is above ${id}, so it must be "manager".`,
            `agents.${parent}.hierarchy: ${parent} は ${id} の上司なので "manager" にしてください。`,
          )
        : text(
            `agents.${id}.parent: there is no agent ${JSON.stringify(parent)}.`,
            `agents.${id}.parent: エージェント ${JSON.stringify(parent)} はありません。`,
          ),
    );
  }
  assertLength('coordinator_token', team.coordinator_token, 16);
}

interface Place {
  readonly id: string;
  readonly hierarchy: string;
  readonly parent: string | undefined;
}

/** All agents, including those that are not in the file and stay unchanged. */
function agentsAfter(team: TeamFile, records: readonly AgentRecord[]): ReadonlyMap<string, Place> {
  const places: Place[] = [
    ...records.map(({ id, hierarchy, parentId }) => ({ id, hierarchy, parent: parentId })),
    ...team.agents.map(({ id, hierarchy, parent }) => ({ id, hierarchy, parent })),
  ];
  return new Map(places.map((place) => [place.id, place]));
}

function assertLength(key: string, secret: string | undefined, least: number): void {
  if (secret === undefined || (secret.length >= least && secret.length <= 1000)) return;
  throw new ConfigError(
    `${key} must be ${least} to 1000 characters long.`,
    `${key} は ${least}～1000 文字で指定してください。`,
  );
}

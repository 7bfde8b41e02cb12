import { ConfigError } from '../../contract/error.ts';
import type { AgentRecord, TeamAdmin } from '../../contract/team/admin.ts';
import { text } from '../../contract/text/text.ts';
import type { TeamFile } from './file.ts';

/** Throws before any change if the file cannot be applied as a whole: half a team is useless. */
export async function checkTeam(team: TeamFile, admin: TeamAdmin): Promise<void> {
  const inFile = team.projects.map((project) => project.id);
  const twice = inFile.find((id, index) => inFile.indexOf(id) !== index);
  if (twice !== undefined)
    throw new ConfigError(
      text(`projects: ${twice} is listed twice.`, `projects: ${twice} が 2 回書かれています。`),
    );
  const projects = new Set([...inFile, ...(await admin.projects()).map((project) => project.id)]);
  const agents = agentsAfter(team, await admin.agents());
  for (const { id, projects: wanted, passkey } of team.agents) {
    const unknown = wanted.find((project) => !projects.has(project));
    if (unknown !== undefined) {
      throw new ConfigError(
        text(
          `agents.${id}.projects: there is no project ${JSON.stringify(unknown)}.`,
          `agents.${id}.projects: プロジェクト ${JSON.stringify(unknown)} はありません。`,
        ),
      );
    }
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
    text(
      `${key} must be ${least} to 1000 characters long.`,
      `${key} は ${least}～1000 文字で指定してください。`,
    ),
  );
}

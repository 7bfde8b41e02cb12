import type { Flags } from '../../config/load.ts';
import { say } from '../common/say.ts';
import { withTeam } from './with-team.ts';

type Options = Readonly<Record<string, unknown>>;

export function addProject(id: string, flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    await admin.addProject({
      id,
      name: String(options.name ?? id),
      workingDirectory: options.workingDirectory as string | undefined,
    });
    say(`${id} is added.`);
    return 0;
  });
}

export function listProjects(flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const projects = await admin.projects();
    if (options.json) say(JSON.stringify(projects));
    else for (const { id, name, status } of projects) say([id, name, status].join('\t'));
    if (projects.length === 0 && !options.json) say('No projects. `sekisho project add ID` adds one.');
    return 0;
  });
}

export function assignAgent(
  projectId: string,
  agentId: string,
  flags: Flags,
  options: Options,
): Promise<number> {
  return withTeam(flags, async (admin) => {
    if (options.remove) {
      const wasThere = await admin.unassign(agentId, projectId);
      say(
        wasThere
          ? `${agentId} is off ${projectId}; its open tasks there are free.`
          : `${agentId} was not on ${projectId}.`,
      );
      return wasThere ? 0 : 1;
    }
    await admin.assign(agentId, projectId);
    say(`${agentId} works on ${projectId}.`);
    return 0;
  });
}

/** A paused project starts no agents and lets none in. */
export function setProjectStatus(id: string, status: 'active' | 'paused', flags: Flags): Promise<number> {
  return withTeam(flags, async (admin) => {
    await admin.changeProject(id, { status });
    say(`${id} is ${status}.`);
    return 0;
  });
}

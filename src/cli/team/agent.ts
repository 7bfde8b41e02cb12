import type { Flags } from '../../config/load.ts';
import { ConfigError } from '../../contract/error.ts';
import { wholeNumber } from '../common/duration.ts';
import { say } from '../common/say.ts';
import { secretFrom, withTeam } from './with-team.ts';

type Options = Readonly<Record<string, unknown>>;

/** Adds an agent; a passkey that we made is shown once. */
export function addAgent(id: string, flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.passkeyEnv, 'pk_');
  const hierarchy = options.manager ? 'manager' : 'worker';
  return withTeam(flags, async (admin) => {
    await admin.addAgent({
      id,
      name: String(options.name ?? id),
      hierarchy,
      parentId: options.parent as string | undefined,
      passkey: secret,
      maxParallelTasks:
        options.maxParallelTasks === undefined
          ? undefined
          : wholeNumber(options.maxParallelTasks, '--max-parallel-tasks'),
    });
    for (const project of (options.project as string[] | undefined) ?? []) await admin.assign(id, project);
    if (options.json) say(JSON.stringify({ id, hierarchy, ...(isNew ? { passkey: secret } : {}) }));
    else say(isNew ? `${id} is added. Its passkey, shown only now: ${secret}` : `${id} is added.`);
    return 0;
  });
}

export function listAgents(flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const agents = await admin.agents();
    if (options.json) {
      say(JSON.stringify(agents));
      return 0;
    }
    for (const agent of agents) {
      say(
        [agent.id, agent.name, agent.hierarchy, agent.parentId ?? '-', agent.projects.join(',') || '-'].join(
          '\t',
        ),
      );
    }
    if (agents.length === 0) say('No agents. `sekisho agent add ID` adds one.');
    return 0;
  });
}

/** Gives a new passkey; sessions under the old one end. */
export function changePasskey(id: string, flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.passkeyEnv, 'pk_');
  return withTeam(flags, async (admin) => {
    await admin.changeAgent(id, { passkey: secret });
    say(isNew ? `The new passkey of ${id}, shown only now: ${secret}` : `${id} has a new passkey.`);
    return 0;
  });
}

export function removeAgent(id: string, flags: Flags): Promise<number> {
  return withTeam(flags, async (admin) => {
    if (!(await admin.removeAgent(id)))
      throw new ConfigError(
        `There is no agent ${JSON.stringify(id)}. \`sekisho agent list\` shows what there is.`,
      );
    say(`${id} is removed; its open tasks are free.`);
    return 0;
  });
}

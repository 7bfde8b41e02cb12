import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;
type ExitWith = (code: number) => void;

/** `sekisho agent`, `project`, `coordinator`, `chat`, `team` and `task`. */
export function addTeamCommands(program: Command, exitWith: ExitWith): void {
  addAgents(program, exitWith);
  addProjects(program, exitWith);
  addTasks(program, exitWith);
  const coordinator = program.command('coordinator').description('manage the program that starts agents');
  withSettings(coordinator.command('token').description('create a new token for it and revoke the old one'))
    .option('--token-env <name>', 'read the token from this environment variable')
    .action(async (options: Options) => {
      const { setCoordinatorToken } = await import('../team/coordinator.ts');
      exitWith(await setCoordinatorToken(flagsOf(options), options));
    });
  withSettings(
    program.command('chat <agent> [message...]').description('write to an agent and read its answers'),
  )
    .option('--project <id>', 'the project to talk in, if the agent works on several')
    .option(
      '--wait <duration>',
      'with a message: how long to wait for an answer (default: 5m; 0s: not at all)',
    )
    .action(async (agent: string, message: readonly string[], options: Options) => {
      const { chatWith } = await import('../team/chat.ts');
      exitWith(await chatWith(agent, message, flagsOf(options), options));
    });
  const team = program.command('team').description('manage agents and projects from a file');
  withSettings(team.command('apply <file>').description('show what team.jsonc changes and apply it'))
    .option('--yes', 'ask no questions')
    .action(async (file: string, options: Options) => {
      const { applyTeam } = await import('../team/apply.ts');
      exitWith(await applyTeam(file, flagsOf(options), options));
    });
}

function addAgents(program: Command, exitWith: ExitWith): void {
  const agent = program.command('agent').description('manage agents that share work');
  withSettings(agent.command('add <id>').description('add an agent; its passkey is shown only once'))
    .option('--name <name>', 'its name')
    .option('--manager', 'let it lead other agents')
    .option('--parent <id>', 'its manager')
    .option('--project <id>', 'a project to assign it to; can be repeated', collect)
    .option('--max-parallel-tasks <number>', 'tasks in progress at once (default: 1)')
    .option('--passkey-env <name>', 'read the passkey from this environment variable')
    .option('--json', 'print as JSON')
    .action(async (id: string, options: Options) => {
      const { addAgent } = await import('../team/agent.ts');
      exitWith(await addAgent(id, flagsOf(options), options));
    });
  withSettings(agent.command('list').description('list all agents'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listAgents } = await import('../team/agent.ts');
      exitWith(await listAgents(flagsOf(options), options));
    });
  withSettings(agent.command('passwd <id>').description('give an agent a new passkey and end its sessions'))
    .option('--passkey-env <name>', 'read the passkey from this environment variable')
    .action(async (id: string, options: Options) => {
      const { changePasskey } = await import('../team/agent.ts');
      exitWith(await changePasskey(id, flagsOf(options), options));
    });
  withSettings(
    agent.command('remove <id>').description('remove an agent; its open tasks become available again'),
  ).action(async (id: string, options: Options) => {
    const { removeAgent } = await import('../team/agent.ts');
    exitWith(await removeAgent(id, flagsOf(options)));
  });
}

function addProjects(program: Command, exitWith: ExitWith): void {
  const project = program.command('project').description('manage projects that agents work on');
  withSettings(project.command('add <id>').description('add a project'))
    .option('--name <name>', 'its name')
    .option('--working-directory <path>', 'the folder in which its agents start')
    .action(async (id: string, options: Options) => {
      const { addProject } = await import('../team/project.ts');
      exitWith(await addProject(id, flagsOf(options), options));
    });
  withSettings(project.command('list').description('list all projects'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listProjects } = await import('../team/project.ts');
      exitWith(await listProjects(flagsOf(options), options));
    });
  withSettings(project.command('assign <project> <agent>').description('assign an agent to a project'))
    .option('--remove', 'end the assignment instead')
    .action(async (id: string, agentId: string, options: Options) => {
      const { assignAgent } = await import('../team/project.ts');
      exitWith(await assignAgent(id, agentId, flagsOf(options), options));
    });
  for (const [name, status] of [
    ['pause', 'paused'],
    ['resume', 'active'],
  ] as const) {
    withSettings(project.command(`${name} <id>`).description(`${name} it`)).action(
      async (id: string, options: Options) => {
        const { setProjectStatus } = await import('../team/project.ts');
        exitWith(await setProjectStatus(id, status, flagsOf(options)));
      },
    );
  }
}

function addTasks(program: Command, exitWith: ExitWith): void {
  const task = program.command('task').description('manage tasks for agents');
  withSettings(task.command('add').description('add a task; prints its id'))
    .requiredOption('--project <id>', 'the project that it belongs to')
    .requiredOption('--title <title>', 'its title')
    .option('--description <text>', 'its description')
    .option('--assign <agent>', 'the agent to assign it to')
    .option('--start', 'start it at once')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { addTask } = await import('../team/task.ts');
      exitWith(await addTask(flagsOf(options), options));
    });
  withSettings(task.command('list').description('list the newest tasks'))
    .option('--project <id>', 'only this project')
    .option('--status <status>', 'only this status')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listTasks } = await import('../team/task.ts');
      exitWith(await listTasks(flagsOf(options), options));
    });
  withSettings(task.command('show <id>').description('show a task and its history'))
    .option('--json', 'print as JSON')
    .action(async (id: string, options: Options) => {
      const { showTask } = await import('../team/task.ts');
      exitWith(await showTask(id, flagsOf(options), options));
    });
  withSettings(
    task
      .command('assign <id> [agent]')
      .description('assign a task to an agent; without an agent, unassign it'),
  ).action(async (id: string, agentId: string | undefined, options: Options) => {
    const { assignTask } = await import('../team/task.ts');
    exitWith(await assignTask(id, agentId, flagsOf(options)));
  });
  withSettings(task.command('cancel <id>').description('cancel a task and its subtasks'))
    .option('--reason <text>', 'why')
    .action(async (id: string, options: Options) => {
      const { cancelTask } = await import('../team/task.ts');
      exitWith(await cancelTask(id, flagsOf(options), options));
    });
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

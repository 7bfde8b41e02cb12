import type { Command } from 'commander';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;
type ExitWith = (code: number) => void;

/** `sekisho agent`, `project`, `coordinator`, `team` and `task`: who works on what. */
export function addTeamCommands(program: Command, exitWith: ExitWith): void {
  addAgents(program, exitWith);
  addProjects(program, exitWith);
  addTasks(program, exitWith);
  const coordinator = program.command('coordinator').description('the program that starts agents');
  withSettings(coordinator.command('token').description('make a new token for it; the former one ends'))
    .option('--token-env <name>', 'take the token from this variable')
    .action(async (options: Options) => {
      const { setCoordinatorToken } = await import('../team/coordinator.ts');
      exitWith(await setCoordinatorToken(flagsOf(options), options));
    });
  const team = program.command('team').description('agents and projects from a file');
  withSettings(team.command('apply <file>').description('show what team.jsonc changes, and apply it'))
    .option('--yes', 'ask nothing')
    .action(async (file: string, options: Options) => {
      const { applyTeam } = await import('../team/apply.ts');
      exitWith(await applyTeam(file, flagsOf(options), options));
    });
}

function addAgents(program: Command, exitWith: ExitWith): void {
  const agent = program.command('agent').description('agents that share work');
  withSettings(agent.command('add <id>').description('add an agent; its passkey is shown once'))
    .option('--name <name>', 'what it is called')
    .option('--manager', 'it may lead others')
    .option('--parent <id>', 'the manager above it')
    .option('--project <id>', 'assign it; can be given again', collect)
    .option('--max-parallel-tasks <number>', 'tasks in progress at once (default: 1)')
    .option('--passkey-env <name>', 'take the passkey from this variable')
    .option('--json', 'print as JSON')
    .action(async (id: string, options: Options) => {
      const { addAgent } = await import('../team/agent.ts');
      exitWith(await addAgent(id, flagsOf(options), options));
    });
  withSettings(agent.command('list').description('all agents'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listAgents } = await import('../team/agent.ts');
      exitWith(await listAgents(flagsOf(options), options));
    });
  withSettings(agent.command('passwd <id>').description('give it a new passkey; its sessions end'))
    .option('--passkey-env <name>', 'take the passkey from this variable')
    .action(async (id: string, options: Options) => {
      const { changePasskey } = await import('../team/agent.ts');
      exitWith(await changePasskey(id, flagsOf(options), options));
    });
  withSettings(agent.command('remove <id>').description('remove it; its open tasks are free again')).action(
    async (id: string, options: Options) => {
      const { removeAgent } = await import('../team/agent.ts');
      exitWith(await removeAgent(id, flagsOf(options)));
    },
  );
}

function addProjects(program: Command, exitWith: ExitWith): void {
  const project = program.command('project').description('projects that agents work on');
  withSettings(project.command('add <id>').description('add a project'))
    .option('--name <name>', 'what it is called')
    .option('--working-directory <path>', 'where its agents start')
    .action(async (id: string, options: Options) => {
      const { addProject } = await import('../team/project.ts');
      exitWith(await addProject(id, flagsOf(options), options));
    });
  withSettings(project.command('list').description('all projects'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listProjects } = await import('../team/project.ts');
      exitWith(await listProjects(flagsOf(options), options));
    });
  withSettings(project.command('assign <project> <agent>').description('let an agent work on it'))
    .option('--remove', 'no longer')
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
  const task = program.command('task').description('work for agents');
  withSettings(task.command('add').description('add a task; prints its id'))
    .requiredOption('--project <id>', 'the project')
    .requiredOption('--title <title>', 'what it is')
    .option('--description <text>', 'more about it')
    .option('--assign <agent>', 'whose it is')
    .option('--start', 'in progress at once')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { addTask } = await import('../team/task.ts');
      exitWith(await addTask(flagsOf(options), options));
    });
  withSettings(task.command('list').description('the newest tasks'))
    .option('--project <id>', 'of this project')
    .option('--status <status>', 'in this status')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listTasks } = await import('../team/task.ts');
      exitWith(await listTasks(flagsOf(options), options));
    });
  withSettings(task.command('show <id>').description('one task and what happened to it'))
    .option('--json', 'print as JSON')
    .action(async (id: string, options: Options) => {
      const { showTask } = await import('../team/task.ts');
      exitWith(await showTask(id, flagsOf(options), options));
    });
  withSettings(
    task.command('assign <id> [agent]').description('give it to an agent; without one, to nobody'),
  ).action(async (id: string, agentId: string | undefined, options: Options) => {
    const { assignTask } = await import('../team/task.ts');
    exitWith(await assignTask(id, agentId, flagsOf(options)));
  });
  withSettings(task.command('cancel <id>').description('cancel it and its subtasks'))
    .option('--reason <text>', 'why')
    .action(async (id: string, options: Options) => {
      const { cancelTask } = await import('../team/task.ts');
      exitWith(await cancelTask(id, flagsOf(options), options));
    });
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

import type { Command } from 'commander';
import type { Flags } from '../../config/settings.ts';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** `sekisho agent`, `project`, `coordinator`, `chat`, `team` and `task`. */
export function addTeamCommands(program: Command, run: Run): void {
  addAgents(program, run);
  addProjects(program, run);
  addTasks(program, run);
  const coordinator = program.command('coordinator').description('manage the program that starts agents');
  withSettings(coordinator.command('token').description('create a new token for it and revoke the old one'))
    .option('--token-env <name>', 'read the token from this environment variable')
    .action(run(async () => (await import('../team/agent.ts')).setCoordinatorToken));
  withSettings(
    program.command('chat <agent> [message...]').description('write to an agent and read its answers'),
  )
    .option('--project <id>', 'the project to talk in, if the agent works on several')
    .option(
      '--wait <duration>',
      'with a message: how long to wait for an answer (default: 5m; 0s: not at all)',
    )
    .action(run(async () => (await import('../team/chat.ts')).chatWith));
  const team = program.command('team').description('manage agents and projects from a file');
  withSettings(team.command('apply <file>').description('show what team.jsonc changes and apply it'))
    .option('--yes', 'ask no questions')
    .action(run(async () => (await import('../team/apply.ts')).applyTeam));
}

function addAgents(program: Command, run: Run): void {
  const agent = program.command('agent').description('manage agents that share work');
  withSettings(agent.command('add <id>').description('add an agent; its passkey is shown only once'))
    .option('--name <name>', 'its name')
    .option('--manager', 'let it lead other agents')
    .option('--parent <id>', 'its manager')
    .option('--project <id>', 'a project to assign it to; can be repeated', collect)
    .option('--max-parallel-tasks <number>', 'tasks in progress at once (default: 1)')
    .option('--passkey-env <name>', 'read the passkey from this environment variable')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../team/agent.ts')).addAgent));
  withSettings(agent.command('list').description('list all agents'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../team/agent.ts')).listAgents));
  withSettings(agent.command('passwd <id>').description('give an agent a new passkey and end its sessions'))
    .option('--passkey-env <name>', 'read the passkey from this environment variable')
    .action(run(async () => (await import('../team/agent.ts')).changePasskey));
  withSettings(
    agent.command('remove <id>').description('remove an agent; its open tasks become available again'),
  ).action(run(async () => (await import('../team/agent.ts')).removeAgent));
}

function addProjects(program: Command, run: Run): void {
  const project = program.command('project').description('manage projects that agents work on');
  withSettings(project.command('add <id>').description('add a project'))
    .option('--name <name>', 'its name')
    .option('--working-directory <path>', 'the folder in which its agents start')
    .action(run(async () => (await import('../team/project.ts')).addProject));
  withSettings(project.command('list').description('list all projects'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../team/project.ts')).listProjects));
  withSettings(project.command('assign <project> <agent>').description('assign an agent to a project'))
    .option('--remove', 'end the assignment instead')
    .action(run(async () => (await import('../team/project.ts')).assignAgent));
  for (const [name, status] of [
    ['pause', 'paused'],
    ['resume', 'active'],
  ] as const) {
    withSettings(project.command(`${name} <id>`).description(`${name} it`)).action(
      run(async () => {
        const { setProjectStatus } = await import('../team/project.ts');
        return (id: string, flags: Flags) => setProjectStatus(id, status, flags);
      }),
    );
  }
}

function addTasks(program: Command, run: Run): void {
  const task = program.command('task').description('manage tasks for agents');
  withSettings(task.command('add').description('add a task; prints its id'))
    .requiredOption('--project <id>', 'the project that it belongs to')
    .requiredOption('--title <title>', 'its title')
    .option('--description <text>', 'its description')
    .option('--assign <agent>', 'the agent to assign it to')
    .option('--start', 'start it at once')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../team/task.ts')).addTask));
  withSettings(task.command('list').description('list the newest tasks'))
    .option('--project <id>', 'only this project')
    .option('--status <status>', 'only this status')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../team/task.ts')).listTasks));
  withSettings(task.command('show <id>').description('show a task and its history'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../team/task.ts')).showTask));
  withSettings(
    task
      .command('assign <id> [agent]')
      .description('assign a task to an agent; without an agent, unassign it'),
  ).action(run(async () => (await import('../team/task.ts')).assignTask));
  withSettings(task.command('cancel <id>').description('cancel a task and its subtasks'))
    .option('--reason <text>', 'why')
    .action(run(async () => (await import('../team/task.ts')).cancelTask));
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

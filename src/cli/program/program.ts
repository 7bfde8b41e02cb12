import { Argument, Command, Option } from 'commander';
import { outsideOf } from '../../config/outside.ts';
import { profiles } from '../../config/profiles.ts';
import { engines, runtimeOf, runtimes } from '../../config/runtime.ts';
import { text } from '../../contract/text/text.ts';
import { clientNames } from '../clients.ts';
import { settingsHeading, withSettings } from '../common/options.ts';
import { told } from '../common/say.ts';
import { versionOf } from '../common/version.ts';
import { addApprovals } from './approvals.ts';
import { addAudit } from './audit.ts';
import { helpWithExamples } from './help.ts';
import { addHistoryCommands } from './history.ts';
import { addHooks } from './hooks.ts';
import { mistakeIn } from './mistakes.ts';
import { addNotifyCommands } from './notify.ts';
import { addRecordCommands } from './records.ts';
import { addResident } from './resident.ts';
import { type Run, runWith } from './run.ts';
import { withServeOptions } from './serve-options.ts';
import { addServers } from './servers.ts';
import { addTeamCommands } from './team.ts';
import { addTokens } from './tokens.ts';

type Options = Readonly<Record<string, unknown>>;

/** The command ran in a container and ended with this exit code. */
export class RanElsewhere extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`It ran in a container, which ended with ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

/**
 * Every command and option. Each action loads its own file, so that no command pays for another's imports; a command
 * line that names a command gets only that one and its neighbours, since clients, hooks and scripts wait for it.
 */
export function createProgram(exitWith: (code: number) => void, args: readonly string[] = []): Command {
  const [first = ''] = args;
  const program = new Command('sekisho')
    .description('The checkpoint between AI agents and a machine.')
    .version(versionOf())
    .exitOverride()
    .configureOutput({ outputError: (words, write) => write(`${told(mistakeIn(words))}\n`) })
    .showHelpAfterError(
      told(
        text(
          '(`sekisho --help` lists the commands.)',
          '（コマンドの一覧は `sekisho --help` で確認できます。）',
        ),
      ),
    )
    .addHelpText('after', `\n${told(begin)}`)
    .hook('preAction', async (_program, command) => {
      const exitCode = await elsewhere(args, command);
      if (exitCode !== undefined) throw new RanElsewhere(exitCode);
    });

  const named = groups.filter(({ names }) => names.includes(first));
  for (const { add } of named.length > 0 ? named : groups) add(program, runWith(exitWith), first);
  helpWithExamples(program);
  return program;
}

type AddCommands = (program: Command, run: Run, first: string) => void;

/** In the order of the help, each with the names of its commands. */
const groups: readonly { readonly names: readonly string[]; readonly add: AddCommands }[] = [
  { names: ['serve'], add: addServe },
  { names: ['call', 'tools'], add: addCalls },
  { names: ['run', 'hook'], add: addHooks },
  { names: ['ps', 'stop'], add: addResident },
  { names: ['ask'], add: addAsk },
  { names: ['token'], add: addTokens },
  { names: ['audit'], add: addAudit },
  { names: ['approve'], add: addApprovals },
  { names: ['notify', 'passkey'], add: addNotifyCommands },
  { names: ['coordinator', 'chat', 'team', 'agent', 'project', 'task'], add: addTeamCommands },
  { names: ['server', 'import'], add: addServers },
  { names: ['history', 'diff', 'story', 'digest', 'undo'], add: addHistoryCommands },
  { names: ['store', 'nodes', 'projects', 'policy', 'memory'], add: addRecordCommands },
  { names: ['doctor', 'console'], add: addLooks },
  { names: ['init', 'image'], add: addSetUp },
  // Completes all other commands, so it needs the whole list.
  { names: [], add: addCompletion },
];

function addServe(program: Command, run: Run): void {
  withServeOptions(
    program.command('serve').description('serve MCP over stdio, or over HTTP with --http'),
  ).action(run(async () => (await import('../serving/serve.ts')).serve));
}

function addCalls(program: Command, run: Run): void {
  withSettings(
    program
      .command('call <tool> [arguments]')
      .description('make one call from the terminal; arguments "-" are read from the input'),
  )
    .option('--json', 'print the whole result as JSON')
    .action(run(async () => (await import('../call.ts')).call));

  withSettings(program.command('tools').description('list the tools that a server would offer'))
    .option('--json', 'print names, descriptions and schemas as JSON')
    .action(run(async () => (await import('../tools.ts')).tools));
}

function addLooks(program: Command, run: Run): void {
  withSettings(
    program.command('doctor').description('show what works here, what is missing and how to install it'),
  )
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../doctor.ts')).doctor));
  withSettings(
    program.command('console').description('print a one-time link to the web console of a running server'),
  )
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../console.ts')).printConsoleLink));
}

function addSetUp(program: Command, run: Run): void {
  program
    .command('init')
    .description('write a configuration file and print what to paste into your client')
    .option('--root <path>', 'the folder that tools can see (default: the current one)')
    .addOption(
      new Option('--profile <name>', 'the profile, a set of defaults (default: coding)').choices(
        Object.keys(profiles),
      ),
    )
    .addOption(new Option('--client <name>', 'the client to set up (default: claude)').choices(clientNames))
    .option('--out <file>', 'where to write it (default: your configuration folder)')
    .addOption(
      new Option(
        '--own-tools <what>',
        "the client's own tools: keep them (default), judge them by hooks, or switch them off",
      ).choices(['keep', 'hooks', 'off']),
    )
    .option('--yes', 'ask no questions')
    .addOption(
      new Option('--runtime <where>', 'where the server runs; written to the file').choices(runtimes),
    )
    .option('--force', 'replace an existing file')
    .option('--hooks', "write hooks into the client's settings, so that its own tools are judged as well")
    .option('--remove', "remove what init wrote from the client's settings")
    .action(
      run(async () => async (options: Options) => {
        if (options.remove) return (await import('../init/remove.ts')).removeOurs(options);
        if (options.hooks) return (await import('../init/hooks.ts')).initHooks(options);
        return (await import('../init/init.ts')).init(options);
      }),
    );

  program
    .command('image')
    .description('the container image for machines without Linux')
    .command('build')
    .description('build the image with docker or podman, from this package')
    .option('--base <image>', 'base image: any Debian with Node 24 and npm')
    .addOption(new Option('--engine <name>', 'the engine to build it with').choices(engines))
    .action(run(async () => (await import('../container/image.ts')).buildImage));
}

function addCompletion(program: Command, run: Run): void {
  program
    .command('completion')
    .description('print completions for bash, zsh or fish')
    .addArgument(new Argument('<shell>', 'for which shell').choices(['bash', 'zsh', 'fish']))
    .action(
      run(async () => {
        const { printCompletion } = await import('../completion/print.ts');
        return (shell: 'bash' | 'zsh' | 'fish') => printCompletion(shell, program);
      }),
    );
}

/** Runs a command that opens records in a container, if a flag, the file or the machine asks for one. */
async function elsewhere(args: readonly string[], command: Command): Promise<number | undefined> {
  const isSetting = ({ long, helpGroupHeading }: Option) =>
    long === '--runtime' && helpGroupHeading === settingsHeading.en;
  if (outsideOf() || !command.options.some(isSetting)) return undefined;
  const choice = runtimeOf(command.optsWithGlobals(), process.env, process.platform);
  if (choice.runtime === 'host') return undefined;
  const { runInContainer } = await import('../container/in-container.ts');
  return runInContainer(args, command, choice);
}

const begin = text(
  'Start with `sekisho init`. `sekisho doctor` shows what works on this machine.',
  'まず `sekisho init` を実行してください。このマシンで何が動くかは `sekisho doctor` で分かります。',
);

function addAsk(program: Command, run: Run): void {
  withSettings(
    program
      .command('ask [question...]')
      .description('ask a model that can use the tools; without a question, start an interactive session'),
  )
    .option('--model <name>', 'a model from the configuration, glm-4.7, or an Ollama model')
    .option('--session <name>', 'save the conversation under this name, and continue it next time')
    .option('--headless', 'refuse what would need your approval')
    .option('--event-output', 'print events as JSON Lines')
    .option('--show-reasoning', "show the model's reasoning")
    .action(run(async () => (await import('../ask/ask.ts')).askModel));
}

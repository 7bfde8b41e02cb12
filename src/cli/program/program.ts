import { Argument, Command, Option } from 'commander';
import { outsideOf } from '../../config/outside.ts';
import { profiles } from '../../config/profiles.ts';
import { engines, runtimeOf, runtimes } from '../../config/runtime.ts';
import type { Flags } from '../../config/settings.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { clientNames } from '../clients.ts';
import { type Options, settingsHeading, withSettings } from '../common/options.ts';
import { inLocale } from '../common/say.ts';
import { versionOf } from '../common/version.ts';
import { helpWithExamples } from './help.ts';
import { addHistoryCommands } from './history.ts';
import { addRecordCommands } from './records.ts';
import { type Run, runWith } from './run.ts';
import { withServeOptions } from './serve-options.ts';
import { addTeamCommands } from './team.ts';

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
    .configureOutput({ outputError: (words, write) => write(`${inLocale(mistakeIn(words))}\n`) })
    .showHelpAfterError(
      inLocale(
        '(`sekisho --help` lists the commands.)',
        '（コマンドの一覧は `sekisho --help` で確認できます。）',
      ),
    )
    .addHelpText('after', `\n${inLocale(begin)}`)
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
  { names: ['secret'], add: addSecrets },
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
    .action(run(async () => (await import('../call.ts')).tools));
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
        if (options.remove) return (await import('../init/init.ts')).removeOurs(options);
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

/** commander's error messages in both languages; unknown words stay unchanged. */
function mistakeIn(english: string): Text {
  let japanese = english.trimEnd();
  for (const [pattern, words] of forms) japanese = japanese.replace(pattern, words);
  return text(english.trimEnd(), japanese);
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/^error: unknown command '(.*)'/, "エラー: コマンド '$1' はありません"],
  [/^error: unknown option '(.*)'/, "エラー: オプション '$1' はありません"],
  [/^error: missing required argument '(.*)'/, "エラー: 引数 '$1' が必要です"],
  [/^error: option '(.*)' argument missing/, "エラー: オプション '$1' に値が必要です"],
  [/^error: required option '(.*)' not specified/, "エラー: オプション '$1' を指定してください"],
  [
    /^error: option '(.*)' argument '(.*)' is invalid\./s,
    "エラー: オプション '$1' に '$2' は指定できません。",
  ],
  [
    /^error: command-argument value '(.*)' is invalid for argument '(.*)'\./s,
    "エラー: 引数 '$2' に '$1' は指定できません。",
  ],
  [/ ?Allowed choices are (.*)\.$/, '指定できるもの: $1'],
  [
    /^error: too many arguments(?: for '(.*)')?\. Expected (\d+) arguments? but got (\d+): (.*)\.$/s,
    "エラー: '$1' の引数が多すぎます。必要な数は $2、指定された数は $3: $4",
  ],
  [/\(Did you mean one of (.*)\?\)$/, '（もしかして: $1）'],
  [/\(Did you mean (.*)\?\)$/, '（もしかして: $1）'],
];

/** `sekisho approve`. */
function addApprovals(program: Command, run: Run): void {
  const approvals = withSettings(
    program.command('approve [id...]').description('answer waiting questions; without an id, list them'),
  )
    .option('--for <how>', 'allow this and similar calls, e.g. for 1h, session, folder or always')
    .option('--until <date>', 'allow this and similar calls until a date, e.g. 2027-01-31')
    .option('--session', 'allow this and similar calls for the rest of the session')
    .option('--always', 'allow this and similar calls from now on')
    .option('--deny', 'deny the call')
    .option('--instead <words>', 'deny the call and say what to do instead')
    .option('--watch', 'show questions and calls full-screen and answer by key')
    .option('--show', 'show the question and how far an answer can reach')
    .option('--json', 'print as JSON')
    .action(
      run(async () => async (ids: readonly string[], flags: Flags, options: Options) => {
        if (options.watch) return (await import('../approve/watch/watch.ts')).watchQuestions(flags);
        return (await import('../approve/approve.ts')).approve(ids, flags, options);
      }),
    );
  // The parent takes the options that both know, in any position.
  withSettings(approvals.command('grants').description('list standing approvals'))
    .option('--unused', 'only those unused for two weeks')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../approve/grants.ts')).listGrants));
  withSettings(approvals.command('revoke [id]').description('revoke a standing approval'))
    .option('--unused', 'revoke all that have been unused for two weeks')
    .action(run(async () => (await import('../approve/grants.ts')).revokeGrants));
}

/** The commands that read and verify the log. */
function addAudit(program: Command, run: Run): void {
  const audit = program.command('audit').description('read and verify the log of every call');
  withSettings(audit.command('tail').description('show the newest entries'))
    .option('--lines <number>', 'number of entries', '20')
    .option('--follow', 'keep printing new entries')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../audit.ts')).tailAudit));
  withSettings(audit.command('search [text]').description('find entries by id or text'))
    .option('--tool <name>', 'only this tool')
    .option('--principal <name>', 'only this caller')
    .option('--outcome <outcome>', 'ok, error, question or interrupted')
    .option('--since <time>', 'e.g. 10m, 2h, 7d')
    .option('--limit <number>', 'number of entries', '100')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../audit.ts')).searchAudit));
  withSettings(audit.command('verify').description('detect changed, missing or cut-off entries'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../audit.ts')).verifyAudit));
  withSettings(audit.command('export').description('print every entry as JSON Lines')).action(
    run(async () => (await import('../audit.ts')).exportAudit),
  );
}

/** The commands for bearer tokens over HTTP. */
function addTokens(program: Command, run: Run): void {
  const token = program.command('token').description('manage bearer tokens for HTTP');
  withSettings(token.command('create').description('create a token; it is shown only once'))
    .requiredOption('--user <name>', 'whose token it is')
    .option('--as-role <role>', 'the role that policy rules see')
    .option('--for <toolsets>', 'only these toolsets, e.g. vault,assistant')
    .option('--expires <time>', 'e.g. 12h, 30d (default: never)')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../token.ts')).createToken));
  withSettings(token.command('list').description('list tokens, without their secrets'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../token.ts')).listTokens));
  withSettings(token.command('revoke <id>').description('revoke a token at once')).action(
    run(async () => (await import('../token.ts')).revokeToken),
  );
}

/** The commands for credentials. */
function addSecrets(program: Command, run: Run): void {
  const secret = program.command('secret').description('manage credentials that commands use and never hold');
  withSettings(secret.command('set <name>').description('keep its value, read from the input')).action(
    run(async () => (await import('../secret.ts')).setSecret),
  );
  withSettings(secret.command('list').description('list them, without their values'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../secret.ts')).listSecrets));
  withSettings(secret.command('remove <name>').description('delete its value')).action(
    run(async () => (await import('../secret.ts')).removeSecret),
  );
}

/** The commands for proxied servers, and their import from a client's settings. */
function addServers(program: Command, run: Run): void {
  const server = program.command('server').description('manage proxied servers');
  withSettings(
    server.command('list').description('list their tools and what you need to review, without starting them'),
  )
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../server/server.ts')).listServers));
  withSettings(server.command('check [name]').description('start them and report their state'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../server/server.ts')).checkServers));
  withSettings(
    server.command('approve <name>').description('review what changed in its tools and approve it'),
  )
    .option('--digest <digest>', 'approve exactly what was shown with this digest')
    .action(run(async () => (await import('../server/server.ts')).approveServer));
  withSettings(
    server.command('login <name>').description('log in to a server that requires it, in your browser'),
  )
    .option('--scope <scopes>', 'request these scopes instead of those that the server names')
    .option('--no-browser', 'print the address instead of opening it')
    .action(run(async () => (await import('../server/login.ts')).loginServer));
  withSettings(server.command('logout <name>').description('log out and delete the tokens')).action(
    run(async () => (await import('../server/login.ts')).logoutServer),
  );
  withSettings(
    server.command('forget <name>').description('forget what you approved; the server is treated as new'),
  ).action(run(async () => (await import('../server/server.ts')).forgetServer));
  program
    .command('import <from>')
    .description("import servers from claude, cursor, vscode, gemini, windsurf, zed or a client's FILE")
    .option('--out <file>', 'configuration file to write (default: in your configuration folder)')
    .option('--dry-run', 'only show what would be imported')
    .action(run(async () => (await import('../import.ts')).importServers));
}

/** The commands for the server that a user's clients share. */
function addResident(program: Command, run: Run): void {
  program
    .command('ps')
    .description('list the sessions of the server that your clients share')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../resident/sessions.ts')).listSessions));
  program
    .command('stop [session]')
    .description('end a session of that server, or the server itself')
    .option('--all', 'end the server with all its sessions')
    .action(run(async () => (await import('../resident/sessions.ts')).stopSessions));
}

/** The commands that clients start, and those that replace their own shell tools. */
function addHooks(program: Command, run: Run): void {
  withSettings(
    program
      .command('run [command...]')
      .description(
        'run a command like the tool bash, from the current folder: judged, sandboxed and recorded',
      ),
  ).action(run(async () => (await import('../hook/run.ts')).run));
  withSettings(
    program
      .command('hook')
      .description(
        "decide whether a client's own tool may run; the client's hook starts this, with the event on stdin",
      ),
  )
    .addArgument(
      new Argument('<client>', 'whose hook it is').choices(['claude', 'codex', 'gemini', 'cursor']),
    )
    .action(
      run(async () => {
        const { hook } = await import('../hook/client.ts');
        return (client: string) => hook([client, ...process.argv.slice(4)]);
      }),
    );
}

/** `sekisho notify` and `passkey`. */
function addNotifyCommands(program: Command, run: Run): void {
  const notify = program.command('notify').description('manage notices about waiting questions');
  withSettings(notify.command('list').description('list the channels for notices'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).listChannels));
  withSettings(notify.command('test <name>').description('send a test notice to a channel'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).testChannel));
  withSettings(notify.command('log').description('list notices and whether they arrived'))
    .option('--lines <number>', 'number of entries', '20')
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../notify.ts')).noticeLog));
  withSettings(notify.command('devices').description('list browsers that receive web push'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).listDevices));
  withSettings(notify.command('remove <id>').description('stop sending notices to a device')).action(
    run(async () => (await import('../notify.ts')).removeDevice),
  );
  const passkey = program
    .command('passkey')
    .description('manage the passkeys of devices that answer questions');
  withSettings(passkey.command('list').description('list passkeys, their owners and host names'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../notify.ts')).listPasskeys));
  withSettings(passkey.command('remove <id>').description('remove a passkey, e.g. of a lost device')).action(
    run(async () => (await import('../notify.ts')).removePasskey),
  );
}

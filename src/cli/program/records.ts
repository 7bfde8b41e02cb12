import { type Command, Option } from 'commander';
import { locales } from '../../contract/text/text.ts';
import { flagsOf, withSettings } from '../common/options.ts';

type Options = Readonly<Record<string, unknown>>;

/** `sekisho policy`, `memory`, `store`, `nodes` and `projects`. */
export function addRecordCommands(program: Command, exitWith: (code: number) => void): void {
  addPolicy(program, exitWith);
  addMemory(program, exitWith);
  program
    .command('store')
    .description('manage the store that records are kept in')
    .command('copy <from> <to>')
    .description('copy all records, e.g. sqlite:old.db postgres://…; stop the servers first')
    .option('--state <path>', 'state folder with the audit.key of both stores')
    .option('--json', 'print as JSON')
    .action(async (from: string, to: string, options: Options) => {
      const { copyStore } = await import('../common/store.ts');
      exitWith(await copyStore(from, to, options));
    });
  withSettings(
    program.command('nodes').description('list the servers that share the records, with load and version'),
  )
    .option('--json', 'print as JSON Lines')
    .action(async (options: Options) => {
      const { showNodes } = await import('../nodes.ts');
      exitWith(await showNodes(flagsOf(options), { json: options.json === true }));
    });
  program
    .command('projects')
    .description('list your projects, when each was last used, and the questions that wait in it')
    .option('--config <file>', 'configuration file; never looked for in a workspace')
    .addOption(new Option('--locale <locale>', 'language of texts').choices(locales))
    .option('--json', 'print as JSON Lines')
    .action(async (options: Options) => {
      const { showProjects } = await import('../projects.ts');
      exitWith(await showProjects(flagsOf(options), { json: options.json === true }));
    });
}

function addPolicy(program: Command, exitWith: (code: number) => void): void {
  const policy = program
    .command('policy')
    .description('show and test the rules: what is allowed, asked about and denied');
  withSettings(policy.command('explain').alias('show').description('show the mode and all rules in force'))
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { explain } = await import('../policy-commands.ts');
      exitWith(await explain(flagsOf(options), options));
    });
  withSettings(
    policy
      .command('test [call]')
      .description(
        'show what would happen to a call, e.g. \'{"tool": "shell_exec", "arguments": {"command": "ls"}}\'',
      ),
  )
    .option('--as <role>', 'the role of the local caller')
    .option('--effects <file>', 'instead of a call, test changes given as a JSON list')
    .option('--json', 'print as JSON')
    .action(async (call: string | undefined, options: Options) => {
      const { test } = await import('../policy-commands.ts');
      exitWith(await test(call, flagsOf(options), options));
    });
  addWhy(policy, exitWith);
}

function addWhy(policy: Command, exitWith: (code: number) => void): void {
  withSettings(
    policy
      .command('why <id>')
      .description('explain a recorded call: what was decided, and where the text that it sent came from'),
  )
    .option('--json', 'print as JSON')
    .action(async (id: string, options: Options) => {
      const { why } = await import('../policy-why.ts');
      exitWith(await why(id, flagsOf(options), options.json === true));
    });
}

function addMemory(program: Command, exitWith: (code: number) => void): void {
  const memory = program.command('memory').description('manage what remember has stored');
  withSettings(memory.command('export').description('print memories as JSON Lines'))
    .option('--user <name>', 'only this user (default: the local one)')
    .action(async (options: Options) => {
      const { exportMemory } = await import('../memory.ts');
      exitWith(await exportMemory(flagsOf(options), options));
    });
  withSettings(
    memory
      .command('embed')
      .description('embed pending memories of all users; a running server does this automatically'),
  )
    .option('--all', 'every memory anew')
    .option('--status', 'only show the progress')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { embedMemory } = await import('../memory.ts');
      exitWith(await embedMemory(flagsOf(options), options));
    });
  withSettings(memory.command('import <file>').description('store memories from JSON Lines; - reads stdin'))
    .option('--user <name>', 'for this user (default: the local one)')
    .option('--json', 'print as JSON')
    .action(async (file: string, options: Options) => {
      const { importMemory } = await import('../memory.ts');
      exitWith(await importMemory(file, flagsOf(options), options));
    });
}

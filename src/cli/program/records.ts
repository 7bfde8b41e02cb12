import { type Command, Option } from 'commander';
import { locales } from '../../contract/text/text.ts';
import { withSettings } from '../common/options.ts';
import type { Run } from './run.ts';

/** `sekisho policy`, `memory`, `store`, `nodes` and `projects`. */
export function addRecordCommands(program: Command, run: Run): void {
  addPolicy(program, run);
  addMemory(program, run);
  program
    .command('store')
    .description('manage the store that records are kept in')
    .command('copy <from> <to>')
    .description('copy all records, e.g. sqlite:old.db postgres://…; stop the servers first')
    .option('--state <path>', 'state folder with the audit.key of both stores')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../common/store.ts')).copyStore));
  withSettings(
    program.command('nodes').description('list the servers that share the records, with load and version'),
  )
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../nodes.ts')).showNodes));
  program
    .command('projects')
    .description('list your projects, when each was last used, and the questions that wait in it')
    .option('--config <file>', 'configuration file; never looked for in a workspace')
    .addOption(new Option('--locale <locale>', 'language of texts').choices(locales))
    .option('--json', 'print as JSON Lines')
    .action(run(async () => (await import('../projects.ts')).showProjects));
}

function addPolicy(program: Command, run: Run): void {
  const policy = program
    .command('policy')
    .description('show and test the rules: what is allowed, asked about and denied');
  withSettings(policy.command('explain').alias('show').description('show the mode and all rules in force'))
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../policy-commands.ts')).explain));
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
    .action(run(async () => (await import('../policy-commands.ts')).test));
  addWhy(policy, run);
}

function addWhy(policy: Command, run: Run): void {
  withSettings(
    policy
      .command('why <id>')
      .description('explain a recorded call: what was decided, and where the text that it sent came from'),
  )
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../policy-why.ts')).why));
}

function addMemory(program: Command, run: Run): void {
  const memory = program.command('memory').description('manage what remember has stored');
  withSettings(memory.command('export').description('print memories as JSON Lines'))
    .option('--user <name>', 'only this user (default: the local one)')
    .action(run(async () => (await import('../memory.ts')).exportMemory));
  withSettings(
    memory
      .command('embed')
      .description('embed pending memories of all users; a running server does this automatically'),
  )
    .option('--all', 'every memory anew')
    .option('--status', 'only show the progress')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../memory.ts')).embedMemory));
  withSettings(memory.command('import <file>').description('store memories from JSON Lines; - reads stdin'))
    .option('--user <name>', 'for this user (default: the local one)')
    .option('--json', 'print as JSON')
    .action(run(async () => (await import('../memory.ts')).importMemory));
}

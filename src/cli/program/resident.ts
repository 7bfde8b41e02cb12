import type { Command } from 'commander';
import type { Run } from './run.ts';

/** The commands for the server that a user's clients share. */
export function addResident(program: Command, run: Run): void {
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

import type { Command } from 'commander';

type Options = Readonly<Record<string, unknown>>;

/** The commands for the server that a user's clients share. */
export function addResident(program: Command, exitWith: (code: number) => void, first?: string): void {
  program
    .command('ps')
    .description('list the sessions of the server that your clients share')
    .option('--json', 'print as JSON')
    .action(async (options: Options) => {
      const { listSessions } = await import('../resident/sessions.ts');
      exitWith(await listSessions(options));
    });
  program
    .command('stop [session]')
    .description('end a session of that server, or the server itself')
    .option('--all', 'end the server with all its sessions')
    .action(async (session: string | undefined, options: Options) => {
      const { stopSessions } = await import('../resident/sessions.ts');
      exitWith(await stopSessions(session, options));
    });
  // Started by the first client, never by a person: help and completion leave it out.
  if (first !== 'resident') return;
  program
    .command('resident')
    .requiredOption('--socket <path>')
    .action(async (options: Options) => {
      const { serveResident } = await import('../resident/resident.ts');
      exitWith(await serveResident(String(options.socket)));
    });
}

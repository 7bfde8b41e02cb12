import { ConfigError } from '../../contract/error.ts';

/** Why nothing can listen at an address, as a mistake that the operator can mend; other errors as they are. */
export function listenProblem(error: unknown, host: string, port: number): unknown {
  const words = problems[(error as NodeJS.ErrnoException).code as keyof typeof problems];
  if (words === undefined) return error;
  return new ConfigError(`Nothing can listen at ${host}:${port}: ${words}.`, { cause: error });
}

const problems = {
  EADDRINUSE: 'another program is there already. Stop it, or take another port with `--http PORT`',
  EADDRNOTAVAIL: 'this machine has no such address. `--http HOST:PORT` takes one of its own',
  EACCES: 'this user may not take the port. Take one above 1023 with `--http PORT`',
  ENOTFOUND: 'the name of the host is not known. `--http HOST:PORT` takes an address',
} as const;

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The `sekisho` command as people run it; `build.ts` beside this has made it of the sources as they are. */
export const startFile = join(import.meta.dirname, '../../dist/sekisho.js');

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in a folder, with this environment beside PATH and HOME, as a person there would; never throws. */
export async function runCommand(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
  input?: string,
): Promise<CommandResult> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', ...environment };
  const running = run(process.execPath, [startFile, ...args], { cwd, env });
  if (input !== undefined) running.child.stdin?.end(input);
  const done = await running.then(
    (out) => ({ ...out, code: 0 }),
    (error: CommandResult) => error,
  );
  const { code, stdout, stderr } = done;
  return { code, stdout, stderr };
}

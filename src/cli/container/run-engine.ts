import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { EngineName } from '../../config/runtime.ts';

/**
 * Starts the engine with this process's own input, output and terminal, forwards signals, and returns its exit code,
 * which is that of the command in the container. Rejects if it cannot be started.
 */
export function runEngine(
  engine: EngineName,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(engine, args, { stdio: 'inherit', env: environment, windowsHide: true });
    // Ctrl-C reaches the engine from the terminal as well; a server takes both as one.
    const forward = (signal: NodeJS.Signals) => child.kill(signal);
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, forward);
    const forget = () => {
      for (const signal of signals) process.off(signal, forward);
    };
    child.once('error', (error) => {
      forget();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      forget();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

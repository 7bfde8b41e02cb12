import type { Command } from 'commander';

/**
 * Makes the action of a command: loads the command's function, calls it and ends with its exit code. The function gets the words
 * of the command line, then the options twice: as the flags of the configuration and as its own.
 */
export type Run = (load: () => Promise<Act>) => (...given: unknown[]) => Promise<void>;
type Act = (...given: never[]) => number | Promise<number>;

export function runWith(exitWith: (code: number) => void): Run {
  return (load) =>
    async (...given) => {
      const act = (await load()) as (...given: readonly unknown[]) => number | Promise<number>;
      // An option that a command and the one above it both know may stand before or behind its name.
      const options = (given.at(-1) as Command).optsWithGlobals();
      exitWith(await act(...given.slice(0, -2), options, options));
    };
}

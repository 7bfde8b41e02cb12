import { sep } from 'node:path';

/**
 * How a client starts this very program: by npx where it was installed from the registry, by its own path from a
 * checkout, which npx would not find.
 */
export function ownCommand(
  args: readonly string[],
  script = process.argv[1] ?? 'sekisho',
): { readonly command: string; readonly args: readonly string[] } {
  return script.includes(`${sep}node_modules${sep}`)
    ? { command: 'npx', args: ['-y', 'sekisho', ...args] }
    : { command: process.execPath, args: [script, ...args] };
}

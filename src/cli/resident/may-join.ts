import { readFileSync } from 'node:fs';
import { configPathOf, homeOf } from '../../config/state.ts';

/**
 * Whether `serve` with these arguments may join a resident server. The server itself reads the settings and declines
 * if they say so; here they are only searched for the word, since a client waits.
 */
export function mayJoin(args: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  if (process.platform !== 'linux' || environment.SEKISHO_OUTSIDE || environment.SEKISHO_RUNTIME)
    return false;
  if (args.some((arg) => /^--(alone|http|help|runtime)(=|$)/.test(arg))) return false;
  if (environment.SEKISHO_RESIDENT === 'off') return false;
  return args.includes('--resident') || environment.SEKISHO_RESIDENT === 'on' || isInFile(args, environment);
}

function isInFile(args: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  const at = args.findLastIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const named = args[at] === '--config' ? args[at + 1] : args[at]?.slice('--config='.length);
  try {
    const path = configPathOf(named, environment, homeOf(environment), process.cwd());
    return readFileSync(path, 'utf8').includes('"resident"');
  } catch {
    return false;
  }
}

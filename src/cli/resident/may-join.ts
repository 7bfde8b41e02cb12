import { readFileSync } from 'node:fs';
import { configPathOf, homeOf } from '../../config/places/state.ts';

/**
 * Whether `serve` with these arguments may join the resident server. That reads the settings and declines if they say
 * so; here they are only looked into if the word stands there, since a client waits.
 */
export async function mayJoin(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (process.platform !== 'linux' || environment.SEKISHO_OUTSIDE || environment.SEKISHO_RUNTIME)
    return false;
  if (args.some((arg) => /^(--(alone|http|help|runtime)(=.*)?|-h)$/.test(arg))) return false;
  return environment.SEKISHO_RESIDENT !== 'off' && !(await isDeclined(args, environment));
}

async function isDeclined(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> {
  const at = args.findLastIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  const named = args[at] === '--config' ? args[at + 1] : args[at]?.slice('--config='.length);
  try {
    const path = configPathOf(named, environment, homeOf(environment), process.cwd());
    const words = readFileSync(path, 'utf8');
    if (!words.includes('"resident"')) return false;
    const { parse } = await import('jsonc-parser');
    return parse(words)?.resident === false;
  } catch {
    return false;
  }
}

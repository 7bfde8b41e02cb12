import type { Locale } from '../contract/text/text.ts';

/** The language that the environment asks for, as POSIX orders its variables. */
export function localeOf(environment: NodeJS.ProcessEnv): Locale {
  const language = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || '';
  return /^ja/i.test(language) ? 'ja' : 'en';
}

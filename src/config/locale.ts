import { readFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { isLocale, type Locale } from '../contract/text/text.ts';
import { configPathOf, homeOf } from './places/state.ts';

/** The language before the settings are read: `--locale`, else the configuration file, else the environment. */
export function spokenLocale(args: readonly string[], environment: NodeJS.ProcessEnv): Locale {
  const said = [optionIn(args, '--locale'), configuredLocale(optionIn(args, '--config'), environment)];
  return said.find(isLocale) ?? localeOf(environment);
}

/** The language in the environment, in POSIX's order of variables. */
export function localeOf(environment: NodeJS.ProcessEnv): Locale {
  const language = environment.LC_ALL || environment.LC_MESSAGES || environment.LANG || '';
  return /^ja/i.test(language) ? 'ja' : 'en';
}

/** The value of an option, written in one word or two; the last one counts. */
function optionIn(args: readonly string[], option: string): string | undefined {
  const at = args.findLastIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  return args[at] === option ? args[at + 1] : args[at]?.slice(option.length + 1);
}

/** Errors in the file are reported when the settings are read. */
function configuredLocale(named: string | undefined, environment: NodeJS.ProcessEnv): unknown {
  try {
    const path = configPathOf(named, environment, homeOf(environment), process.cwd());
    return parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))?.locale;
  } catch {
    return undefined;
  }
}

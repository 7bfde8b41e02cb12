import { basename, sep } from 'node:path';
import { ConfigError } from '../contract/error.ts';
import { homeOf } from './places/state.ts';

export interface VariableSource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder: string;
  /** The key of the text, for error messages. */
  readonly at: string;
  /** The credentials that the text may name, as `${secret:NAME}`, which stays. Undefined: none. */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Fills in `${NAME}`, `${NAME:-otherwise}`, and clients' forms: `${env:NAME}`, `${workspaceFolder}`. An unset variable
 * stops start-up: otherwise an empty password would be tried.
 */
export function fillVariables(
  words: string,
  { environment, workspaceFolder, at, secrets }: VariableSource,
): string {
  return words.replace(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    if (secrets && inner.startsWith('secret:')) {
      if (secrets.includes(inner.slice('secret:'.length))) return whole;
      throw new ConfigError(
        `${at}: ${whole} is not configured: add secrets.${inner.slice('secret:'.length)}.`,
        `${at}: ${whole} は設定されていません。secrets.${inner.slice('secret:'.length)} を追加してください。`,
      );
    }
    if (inner === 'workspaceFolder') return workspaceFolder;
    if (inner === 'workspaceFolderBasename') return basename(workspaceFolder);
    if (inner === 'userHome') return homeOf(environment);
    if (inner === 'pathSeparator' || inner === '/') return sep;
    const match = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner);
    if (!match)
      throw new ConfigError(
        `${at}: ${whole} is not supported here; use \${NAME} from the environment.`,
        `${at}: ${whole} はここでは使えません。環境変数は \${NAME} と書いてください。`,
      );
    const value = environment[match[1] as string] || match[2];
    if (value === undefined)
      throw new ConfigError(
        `${at}: the variable ${match[1]} is not set.`,
        `${at}: 環境変数 ${match[1]} が設定されていません。`,
      );
    return value;
  });
}

import { readFileSync } from 'node:fs';

/**
 * Names of the variables that go into the container: those that every server reads, and those that the given files
 * name, such as a model's `keyVariable`. Variables for programs' and homes' paths do not apply there.
 */
export function passedVariables(environment: NodeJS.ProcessEnv, files: readonly string[]): readonly string[] {
  const named = new Set(files.flatMap((file) => readIfThere(file).match(/[A-Za-z_]\w*/g) ?? []));
  return Object.keys(environment)
    .filter((name) => !ofThisMachine.test(name) && (read.test(name) || named.has(name)))
    .sort();
}

const read =
  /^(?:SEKISHO_TOKEN|OTEL_\w+|MCP_\w+|HARD_MAX_CHARS|VAULT_\w+|ZAI_API_KEY|PG\w+|LANG|LC_\w+|TZ|TERM|NO_COLOR|COLUMNS|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;

const ofThisMachine =
  /^(?:PATH|HOME|PWD|OLDPWD|SHELL|USER|LOGNAME|TMPDIR|TEMP|TMP|XDG_\w+|NODE_\w+|LD_\w+|DYLD_\w+|SEKISHO_(?:OUTSIDE|RUNTIME)|MCP_CONFIG_PATH)$/i;

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

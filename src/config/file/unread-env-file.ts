import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Text, text } from '../../contract/text/text.ts';

/** Files of variables are smaller. */
const maxBytes = 64 * 1024;

/** The notice for a `.env` here that names servers (document 001): it is not read, since tools can write it. */
export function unreadEnvFile(
  flags: { readonly envFile?: string | undefined },
  environment: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
): Text | undefined {
  if (flags.envFile !== undefined || environment.MCP_CONFIG_PATH) return undefined;
  const path = join(cwd, '.env');
  if (!namesServers(path)) return undefined;
  return text(
    `${path} sets MCP_CONFIG_PATH and is not read: tools can write there, and it names programs to start. Move it out of the folder and add --env-file PATH, or set the variable itself.`,
    `${path} に MCP_CONFIG_PATH がありますが、読み込みません。ツールが書き込める場所にあり、起動するプログラムを指定できるためです。フォルダーの外に移して --env-file PATH を付けるか、環境変数として設定してください。`,
  );
}

function namesServers(path: string): boolean {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > maxBytes) return false;
    return /^\s*(?:export\s+)?MCP_CONFIG_PATH\s*=/m.test(readFileSync(path, 'utf8'));
  } catch {
    // Missing or unreadable.
    return false;
  }
}

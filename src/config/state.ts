import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

/** Where a workspace's records are kept: outside of it, so that no tool can reach them (`server.md`, Keeping). */
export function stateFolderOf(rootPath: string, environment: NodeJS.ProcessEnv, home: string): string {
  const base = environment.XDG_STATE_HOME || join(home, '.local', 'state');
  const digest = createHash('sha256').update(rootPath).digest('hex').slice(0, 12);
  const name =
    basename(rootPath)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 40) || 'root';
  return join(base, 'sekisho', `${name}-${digest}`);
}

/** Where the operator's own configuration is looked for. */
export function configFolderOf(environment: NodeJS.ProcessEnv, home: string): string {
  return join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'sekisho');
}

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandRunner } from '../../../src/command/commands.ts';
import type { CommandsOptions } from '../../../src/command/commands-options.ts';

/** A home folder of somebody who develops, and a project in it. `true` for a link makes it `-> target`. */
export function createPerson(files: Readonly<Record<string, string | { readonly link: string }>> = {}) {
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-person-'));
  const home = join(base, 'home');
  const project = join(home, 'project');
  mkdirSync(project, { recursive: true });
  for (const [name, content] of Object.entries(files)) put(join(base, name), content);
  return {
    base,
    home,
    project,
    put: (name: string, content: string | { readonly link: string }) => put(join(base, name), content),
    remove: () => rmSync(base, { recursive: true, force: true }),
    open(
      backend: 'bubblewrap' | 'landlock',
      variables: Readonly<Record<string, string>>,
      options: Partial<CommandsOptions> = {},
    ) {
      const runner = new CommandRunner({
        roots: [{ hostPath: project, writable: true }],
        sandbox: 'required',
        backends: [backend],
        serverEnvironment: { PATH: '/usr/bin:/bin', HOME: home, ...variables },
        ...options,
      });
      return Object.assign(runner, {
        async run(script: string, folder = project) {
          const result = await runner.forSession('s').run(
            { kind: 'script', script, shell: 'bash' },
            {
              workingFolder: folder,
              timeoutMs: 30_000,
              signal: new AbortController().signal,
              inSession: true,
            },
          );
          return { ...result, out: `${result.stdout}${result.stderr}` };
        },
      });
    },
  };
}

/** Scripts can be run. */
function put(path: string, content: string | { readonly link: string }): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === 'string') writeFileSync(path, content);
  else symlinkSync(content.link, path);
  if (typeof content === 'string' && content.startsWith('#!')) chmodSync(path, 0o755);
}

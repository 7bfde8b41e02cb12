import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandRunner } from '../../src/command/commands.ts';

/** Why commands cannot run on layers here, for `needs`. */
export const lackOfLayers = (await tryLayers()) ? undefined : 'no layers';

async function tryLayers(): Promise<boolean> {
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-layers-'));
  mkdirSync(join(base, 'root'));
  const commands = new CommandRunner({
    roots: [{ hostPath: join(base, 'root'), writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    layers: join(base, 'layers'),
  });
  try {
    return (await commands.withoutLayer()) === undefined && (await commands.status())[0]?.works === true;
  } finally {
    await commands.close();
    rmSync(base, { recursive: true, force: true });
  }
}

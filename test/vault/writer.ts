// Run as a process of its own by test/attacks/vault.test.ts: writes notes until it is done or killed.
import { openWorkspace } from '../../src/files/workspace.ts';
import { createVaultToolset } from '../../src/tools/vault/index.ts';
import { openVault, vaultSettingsFrom } from '../../src/vault/open.ts';

const [, , work, root = ''] = process.argv;
const { folder } = openWorkspace({ roots: [{ path: root, writable: true }] });
const vault = openVault({ root, workspace: folder, settings: vaultSettingsFrom({}) });
const { tools } = createVaultToolset({ extras: false });
const context = { vault, signal: new AbortController().signal, audit() {}, meta() {}, progress() {} };

async function call(name: string, input: unknown): Promise<boolean> {
  const tool = tools.find((each) => each.name === name);
  const checked = tool?.check(input);
  if (!tool || !checked?.ok) throw new Error(`${name} does not take this`);
  try {
    await tool.run(checked.input, context as never);
    return true;
  } catch {
    return false;
  }
}

if (work === 'create') {
  let won = 0;
  for (let at = 0; at < 25; at += 1) {
    if (await call('vault_create', { path: `${at}.md`, content: `by ${process.pid}` })) won += 1;
  }
  process.stdout.write(String(won));
} else {
  process.stdout.write('started');
  for (let from = 'a', to = 'b'; ; [from, to] = [to, from]) {
    await call('vault_replace', {
      path: 'n.md',
      find: from.repeat(1000),
      replace: to.repeat(1000),
      max_replacements: 10_000,
    });
  }
}

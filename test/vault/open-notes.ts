import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CapabilityName } from '../../src/contract/capabilities/capabilities.ts';
import { ToolError } from '../../src/contract/error.ts';
import type { ToolContext } from '../../src/contract/tool/tool.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { createVaultToolset } from '../../src/tools/vault/index.ts';
import { openVault, type VaultOptions, vaultSettingsFrom } from '../../src/vault/open.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies are compared whole or by field, never trusted.
export type Answer = any;

/** A vault in a folder of its own, with its tools called as the road calls them: arguments checked, then run. */
export function openNotes(
  notes: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<VaultOptions> & { readonly config?: Parameters<typeof vaultSettingsFrom>[1] } = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vault-')));
  for (const [path, content] of Object.entries(notes)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  const vault = openVault({
    root,
    settings: vaultSettingsFrom({}, options.config),
    workspace: workspace.folder,
    ...options,
  });
  const { tools } = createVaultToolset({ extras: true });
  const controller = new AbortController();
  onTestFinished(() => {
    vault.close();
    workspace.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** The reply's data, or `{ error: CODE, message, field? }`. */
  async function call(name: string, input: unknown, signal = controller.signal): Promise<Answer> {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const checked = tool.check(input);
    if (!checked.ok) return { error: 'invalid_parameter', message: checked.message.en, field: checked.field };
    const facts: Record<string, unknown> = {};
    const context = {
      vault,
      signal,
      locale: 'en',
      replyBytes: 30_000,
      caller: { kind: 'local', principal: 'local', sessionId: 's', remote: false },
      progress() {},
      audit: (more: object) => Object.assign(facts, more),
      meta() {},
    } as unknown as ToolContext<CapabilityName>;
    try {
      return (await tool.run(checked.input, context)).structured;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return { error: error.code, message: error.text.en, ...error.details };
    }
  }
  return { root, vault, call, tools };
}

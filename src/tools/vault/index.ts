import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { resourceMethods } from './resources.ts';
import { vaultAppend } from './vault-append.ts';
import { vaultCreate } from './vault-create.ts';
import { vaultLinks } from './vault-links.ts';
import { vaultList } from './vault-list.ts';
import { vaultRead } from './vault-read.ts';
import { vaultReplace } from './vault-replace.ts';
import { vaultScan } from './vault-scan.ts';
import { vaultSearch } from './vault-search.ts';

/** The tools of the vault: those of the document, and with `extras` further ones that users ask for. */
export function createVaultToolset(options: { readonly extras: boolean }): Toolset {
  const documented = [vaultCreate, vaultRead, vaultScan, vaultReplace];
  const extras = [vaultList, vaultSearch, vaultAppend, vaultLinks];
  return defineToolset('vault', options.extras ? [...documented, ...extras, ...resourceMethods] : documented);
}

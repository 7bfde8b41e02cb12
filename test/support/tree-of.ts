import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** All that is below a folder: of each file its mode and content, of a link where it leads, of a folder its mode. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const stat = lstatSync(join(folder, path));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) tree[path] = `→ ${readlinkSync(join(folder, path))}`;
    else if (stat.isFile()) tree[path] = `${mode} ${readFileSync(join(folder, path), 'latin1')}`;
    else tree[path] = stat.isDirectory() ? `${mode}/` : 'other';
  }
  return tree;
}

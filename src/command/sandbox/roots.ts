import { lstatSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FolderRoot } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { orElse } from '../../ground/or-else.ts';

/** The roots as the kernel knows them, resolved once on first use. */
export type Roots = ReturnType<typeof resolveRoots>;

export function resolveRoots(roots: readonly FolderRoot[]) {
  const resolved: readonly ResolvedRoot[] = roots.map((root) => ({
    named: root.hostPath,
    hostPath: realpathSync(root.hostPath),
    writable: root.writable,
  }));
  return {
    all: resolved as readonly FolderRoot[],
    paths: resolved.map(({ hostPath }) => hostPath),
    writable: resolved.flatMap((root) => (root.writable ? [root.hostPath] : [])),
    /** The resolved path of a folder inside a root. Throws if outside, no folder, or through a link that may change. */
    folder: (path: string): string => locate(path, resolved),
    /** The same, but undefined instead of an error. */
    findFolder(path: string): string | undefined {
      // The path is in no root.
      return orElse(() => locate(path, resolved), undefined);
    },
    /** The same as `folder`, in a writable root. */
    writableFolder: (path: string): string =>
      locate(
        path,
        resolved.filter((root) => root.writable),
      ),
  };
}

interface ResolvedRoot extends FolderRoot {
  readonly named: string;
}

function locate(path: string, roots: readonly ResolvedRoot[]): string {
  for (const root of roots) {
    for (const start of [root.hostPath, root.named]) {
      const inner = relative(start, path);
      if (!/^(\.\.(\/|$)|\/)/.test(inner)) return assertFolder(join(root.hostPath, inner));
    }
  }
  throw new ToolError(
    'out_of_scope',
    'The working folder is outside the allowed folders.',
    '作業フォルダーが許可されたフォルダーの外にあります。',
  );
}

function assertFolder(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ToolError('not_found', 'The working folder does not exist.', '作業フォルダーが存在しません。');
  }
  if (realpathSync(path) !== path) {
    throw new ToolError(
      'forbidden',
      'The working folder is reached through a symbolic link.',
      '作業フォルダーへのパスにシンボリックリンクがあります。',
    );
  }
  return path;
}

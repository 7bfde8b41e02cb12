import type { Folder } from '../contract/capabilities/files.ts';
import { stageError, type WorkingFolder } from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { orElse } from '../ground/or-else.ts';
import { escaped } from './operands.ts';

/** The working folder of each session while this process runs. Sessions do not affect each other. */
export function createWorkingFolders(folder: Folder) {
  const current = new Map<string, string>();

  return {
    of(session: string, cwd?: string): WorkingFolder {
      if (cwd !== undefined) return { path: existing(folder, cwd, '.') };
      const path = current.get(session) ?? '.';
      if (path === '.' || orElse(() => folder.at(path).stat().kind === 'folder', false)) return { path };
      current.delete(session);
      return { path: '.', vanished: path };
    },
    change(session: string, target: string | undefined, from: string): string {
      const path = target === undefined || target === '' ? '.' : existing(folder, target, from);
      current.set(session, path);
      return path;
    },
    forget(session: string): void {
      current.delete(session);
    },
  };
}

/** The folder that a path names, relative to the root; throws if it is not a folder inside. */
function existing(folder: Folder, path: string, from: string): string {
  try {
    const place = folder.at(path, { base: from });
    const { kind } = place.stat();
    if (kind === 'folder' && place.rootIndex === 0) return place.path;
    if (kind === 'folder') return place.hostPath;
    if (kind === 'symlink') throw new ToolError('forbidden', 'a link', 'リンク');
  } catch (error) {
    throw escaped(error, path, 'cd');
  }
  throw stageError(
    text(`cd: ${path} is not a folder.`, `cd: ${path} はフォルダーではありません。`),
    text('ls shows the folders here.', 'ls でフォルダーを確認してください。'),
    { suggestion: 'ls' },
  );
}

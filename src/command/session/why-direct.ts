import type { CommandLine, RunOptions } from '../../contract/capabilities/process.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Backend } from '../child/child.ts';
import { type CommandsOptions, commandText } from '../commands-options.ts';
import { isBusyInBackground, type Runner } from './session.ts';
import { cannotWatch, whyNoLayer } from './trial.ts';

/** Why a command runs on the folders themselves instead of a layer that lands; undefined if it can run on one. */
export async function whyDirect(
  command: CommandLine,
  { reach, fate, workingFolder }: Pick<RunOptions, 'reach' | 'fate' | 'workingFolder'>,
  { session, sandbox, options }: Runner,
): Promise<Text | undefined> {
  if (options.layer === 'off' && fate !== 'discard') return whySwitchedOff;
  const roots = sandbox.roots();
  const writable = reach?.writable ?? roots.writable;
  if (writable.length === 0) return whyNothingToWrite;
  if (isBusyInBackground(session)) return whyOthersRun;
  if (options.goesOn?.(command, roots.folder(workingFolder))) return whyItGoesOn;
  // Without a sandbox, the command's own start gives the reason.
  const walls = await sandbox.open().catch(() => undefined);
  return walls && whyNoLayer(walls, writable);
}

/** Why a command's changes in the folders themselves are not kept; undefined if they are. */
export async function whyUnwatched(
  backend: Backend,
  command: CommandLine,
  commandsIn: CommandsOptions['commandsIn'],
): Promise<Text | undefined> {
  if ((await backend.withoutWatching()) !== undefined) return cannotWatch;
  // A watched command gains no rights from set-user-id programs, so such a program would not work.
  const isUnconfined = backend.name === 'none' && process.getuid?.() !== 0;
  return isUnconfined && changesUser(command, commandsIn) ? becomesAnother : undefined;
}

/** Tells whether one of a line's commands begins so. Few lines name one, and each of those is parsed a second time. */
function beginsWith(programs: string) {
  const [anywhere, itself] = [new RegExp(`\\b(${programs})`), new RegExp(`^(${programs})`)];
  return (command: CommandLine, commandsIn: CommandsOptions['commandsIn']): boolean =>
    anywhere.test(commandText(command)) &&
    (commandsIn?.(command) ?? []).some((words) => {
      const [program = '', ...args] = words.map((word) => word ?? '$');
      return itself.test([program.replace(/.*\//, ''), ...args].join(' '));
    });
}

/**
 * Does the output show an error that a layer may cause: a refused rename, an owner that cannot be set? A script may
 * continue after it; then only its stderr counts, since its other output may be about anything.
 */
export function blamesLayer([errors = '', ...outputs]: readonly string[], hasFailed: boolean): boolean {
  return (hasFailed ? [errors, ...outputs] : [errors]).some((output) => refusals.test(output));
}

/** Does it only make git fetch from remotes? Then the refs are as the remotes gave them. */
export function fetchesOnly(command: CommandLine): boolean {
  const words = commandText(command);
  return (
    !/`|\$|[<>(){}]/.test(words) &&
    words
      .split(/[;&|\n]+/)
      .every((piece) => /^\s*(cd\s+\S+|git\s+(-C\s+\S+\s+)?(fetch|pull|clone)\b.*)?\s*$/.test(piece))
  );
}

const whyOthersRun: Text = text(
  'a command of the session runs in the background, and both must see the same files',
  'セッションのコマンドがバックグラウンドで実行中で、両者は同じファイルを見る必要があります',
);

const whyItGoesOn: Text = text(
  'it looks like a server or a watcher, which must see changes while it runs',
  'サーバーや監視プログラムのようで、実行中の変更を見る必要があります',
);

const whySwitchedOff: Text = text('process.layer is "off"', 'process.layer が "off" です');

const whyNothingToWrite: Text = text('it cannot write to any folder', '書き込めるフォルダーがありません');

const becomesAnother: Text = text(
  'as it names a program that may become another user',
  'ほかのユーザーになる可能性のあるプログラムを含むため',
);

const changesUser = beginsWith(
  String.raw`(sudo|sudoedit|su|doas|pkexec|run0|newgrp|sg|passwd|mount|umount|fusermount3?|ping|crontab|at)(?![\w.-])`,
);

// A layer refuses to rename a folder, so mv copies it, and then removes the original.
const refusals =
  /^mv: cannot remove .*: Permission denied$|\bEXDEV\b|cross-device|Cross-device|\bEOVERFLOW\b|Value too large for defined data type|hardlink different from source/m;

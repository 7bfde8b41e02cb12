import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandLine, RunOptions } from '../../../contract/capabilities/process.ts';
import { type Text, text } from '../../../contract/text/text.ts';
import { whyNoLayer } from './dry-run.ts';
import { isBusyInBackground, type Runner } from './session.ts';

/** Why a command runs on the folders themselves and not on a layer that lands; undefined where it can run on one. */
export async function whyDirect(
  command: CommandLine,
  runOptions: RunOptions & { readonly handOverMs?: number | undefined },
  { session, sandbox, options }: Runner,
): Promise<Text | undefined> {
  if (options.layer === 'off' && runOptions.onFailure !== 'discard') return whySwitchedOff;
  const roots = sandbox.roots();
  const writable = runOptions.writable ?? roots.writable;
  if (writable.length === 0) return whyNothingToWrite;
  if (isBusyInBackground(session)) return whyOthersRun;
  if (goesOn(command)) return whyItGoesOn;
  const hostRoots = roots.all.map(({ hostPath }) => hostPath);
  if (movesFolders(command, runOptions.workingFolder, hostRoots)) return whyItMoves;
  // Where no command can run at all, its own start says why.
  const walls = await sandbox.open().catch(() => undefined);
  return walls && whyNoLayer(walls, writable);
}

/**
 * Does a command look as if it goes on until somebody ends it: a server, or a watcher of files? On a layer it would not
 * see what changes meanwhile. A guess from its words, so it need not be right: what is missed is handed over on its layer.
 */
function goesOn(command: CommandLine): boolean {
  return watchers.test(wordsOf(command));
}

/**
 * Does it move a folder that is there? On a layer the kernel refuses that (EXDEV), and `mv` copies instead, however large
 * it is. What is not known before it runs counts as a folder. Beside a program whose words do not show what it does, the
 * copy is the lesser evil: whoever writes the command could otherwise choose not to be judged by what it did.
 */
function movesFolders(command: CommandLine, workingFolder: string, roots: readonly string[]): boolean {
  const words = wordsOf(command);
  if (!showsAll(words)) return false;
  const isWithin = (target: string) =>
    !target.startsWith('/') || roots.some((root) => `${target}/`.startsWith(`${root}/`));
  if (/\bgit\b[^;&|\n]*\s(worktree|submodule|subtree)\b/.test(words)) return true;
  return [...words.matchAll(moves)].some(([, operands = '']) => {
    const paths = operands.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-'));
    // Out of the roots it is a copy, on a layer or not.
    return (
      isWithin(paths.at(-1) ?? '') &&
      paths.slice(0, -1).some((word) => isFolderOrUnknown(word, workingFolder))
    );
  });
}

/**
 * Did a command print what a layer may be to blame for: a refused rename, an owner that it cannot give? A script may go on
 * after that; then only its errors count, since what it shows may be about anything.
 */
export function blamesLayer([errors = '', ...outputs]: readonly string[], hasFailed: boolean): boolean {
  return (hasFailed ? [errors, ...outputs] : [errors]).some((output) => refusals.test(output));
}

/** Do its words show what it does, as all of its programs are known for nothing else? */
function showsAll(words: string): boolean {
  if (/`|\$\(|[<>]\(/.test(words)) return false;
  return words
    .split(/[;&|\n]+/)
    .map((piece) => piece.trim().split(/\s/, 1)[0] ?? '')
    .every((program) => program === '' || plainPrograms.has(program));
}

const whyOthersRun: Text = text(
  'a command of the session runs in the background, and both must see the same files',
  'セッションのコマンドがバックグラウンドで実行中で、両者は同じファイルを見る必要があります',
);

const whyItGoesOn: Text = text(
  'it looks like a server or a watcher, which must see changes while it runs',
  'サーバーや監視プログラムのようで、実行中の変更を見る必要があります',
);

const whyItMoves: Text = text('it moves a folder', 'フォルダーを移動します');

const whySwitchedOff: Text = text('process.layer is "off"', 'process.layer が "off" です');

const whyNothingToWrite: Text = text('it cannot write to any folder', '書き込めるフォルダーがありません');

function wordsOf(command: CommandLine): string {
  return command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
}

function isFolderOrUnknown(word: string, workingFolder: string): boolean {
  const plain = word.replace(/^(["'])(.*)\1$/, '$2');
  if (/[$`*?[\]{}()\\'"~<>]/.test(plain)) return true;
  return lstatSync(resolve(workingFolder, plain), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const plainPrograms: ReadonlySet<string> = new Set(
  'mv git cd pwd ls mkdir rmdir rm cp ln touch echo printf test [ true false cat head tail wc'.split(' '),
);

const moves = /(?:^|[\s;&|(])mv((?:\s+[^\s;&|)]+)+)/g;

const watchers = new RegExp(
  [
    String.raw`\b(npm|pnpm|yarn|bun|deno)\s+(run\s+|task\s+)?(dev|start|serve|watch|preview|storybook)\b`,
    String.raw`\b(next|nuxt|astro|remix|gatsby|expo|ng|webpack|vite|parcel|svelte-kit)\s+(dev|develop|serve|start|preview|watch)\b`,
    String.raw`\b(nodemon|live-server|http-server|browser-sync|webpack-dev-server|uvicorn|gunicorn|hypercorn|puma|air|entr|inotifywait|watchexec|fswatch)\b`,
    String.raw`\bvite\s*($|[;&|\n])`,
    String.raw`\b(flask|cargo|trunk|hugo|jekyll|mkdocs|rails|php|symfony|mix|dotnet|quarto)\s+(run\s+--reload|watch|serve|server|s|-S|phx\.server)\b`,
    String.raw`\bflask\s+run\b|\brunserver\b|\bhttp\.server\b`,
    String.raw`\s--watch(-\w+)?\b|\btsc\b[^;&|\n]*\s-w\b|\btail\b[^;&|\n]*\s-(f|F)\b`,
    String.raw`\bmake\s+(dev|serve|watch|run)\b`,
  ].join('|'),
);

const refusals = /\bEXDEV\b|cross-device|Cross-device|\bEOVERFLOW\b|Value too large for defined data type/;

import { isUtf8 } from 'node:buffer';
import { createTwoFilesPatch } from 'diff';
import type { Flags } from '../config/load.ts';
import { cleanLine, cleanText } from '../contract/clean-text.ts';
import type { FileState, HistoryEntry } from '../contract/history.ts';
import { sizeOf } from './history.ts';
import { say } from './say.ts';
import { withHistory } from './with-history.ts';

type Options = Readonly<Record<string, unknown>>;

/** What one change changed, as a unified diff. */
export function showDiff(id: string, flags: Flags, options: Options): Promise<number> {
  return withHistory(flags, async ({ checkpoint, history, folders }) => {
    const entry = await (await checkpoint.store()).history.get(id);
    if (!entry) {
      say(`There is no change ${id}. \`sekisho history\` lists them.`);
      return 1;
    }
    const [before, after] = await Promise.all([
      history.content(entry, 'before', folders),
      history.content(entry, 'after', folders),
    ]);
    const words = describe(entry, before, after);
    say(options.json ? JSON.stringify({ entry, diff: words }) : cleanText(words));
    return 0;
  });
}

function describe(entry: HistoryEntry, before: Buffer | undefined, after: Buffer | undefined): string {
  const path = cleanLine(entry.path);
  const lines: string[] = [];
  const { before: old, after: now } = entry;
  if (modeOf(old) !== modeOf(now) && modeOf(old) !== undefined && modeOf(now) !== undefined) {
    lines.push(`mode ${modeOf(old)} → ${modeOf(now)}`);
  }
  if (old.kind !== now.kind || old.kind === 'symlink') lines.push(`${nameOf(old)} → ${nameOf(now)}`);
  if (old.kind !== 'file' && now.kind !== 'file') return `${path}: ${lines.join(', ')}`;
  const texts = [textOf(old, before), textOf(now, after)] as const;
  if (texts.some((each) => each === lost)) lines.push('the content is no longer kept');
  else if (texts.some((each) => each === binary)) lines.push(`binary, ${sizeOf(old)} → ${sizeOf(now)}`);
  else if (old.kind === 'file' && old.isStart)
    lines.push(`${sizeOf(old)} → ${sizeOf(now)}, added at the end`);
  else {
    const patch = createTwoFilesPatch(
      old.kind === 'file' ? `a/${path}` : '/dev/null',
      now.kind === 'file' ? `b/${path}` : '/dev/null',
      String(texts[0]),
      String(texts[1]),
    );
    return [...(lines.length > 0 ? [`${path}: ${lines.join(', ')}`] : []), patch.trimEnd()].join('\n');
  }
  return `${path}: ${lines.join(', ')}`;
}

function textOf(state: FileState, bytes: Buffer | undefined): string | typeof lost | typeof binary {
  if (state.kind !== 'file' || state.isStart || state.tail) return '';
  if (bytes === undefined) return lost;
  return bytes.includes(0) || !isUtf8(bytes) ? binary : bytes.toString('utf8');
}

function modeOf(state: FileState): string | undefined {
  return state.kind === 'file' || state.kind === 'folder' ? state.mode?.toString(8) : undefined;
}

function nameOf(state: FileState): string {
  if (state.kind === 'symlink') return `a link to ${cleanLine(state.target)}`;
  return state.kind === 'absent' ? 'nothing' : `a ${state.kind}`;
}

const lost = Symbol('lost');
const binary = Symbol('binary');

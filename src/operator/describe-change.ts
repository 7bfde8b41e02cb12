import { isUtf8 } from 'node:buffer';
import { createTwoFilesPatch } from 'diff';
import type { FileState, HistoryEntry } from '../contract/capabilities/history.ts';
import { cleanLine } from '../contract/text/clean-text.ts';

/** What one change changed, as a unified diff, or in a line where there is no text to compare. Not cleaned. */
export function describeChange(
  entry: HistoryEntry,
  before: Buffer | undefined,
  after: Buffer | undefined,
): string {
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

/** A state in a few words. */
export function sizeOf(state: FileState): string {
  if (state.kind !== 'file') return state.kind === 'absent' ? 'nothing' : state.kind;
  const mode = state.mode === undefined ? '' : ` ${state.mode.toString(8)}`;
  return `${state.bytes} bytes${mode}`;
}

const lost = Symbol('lost');
const binary = Symbol('binary');

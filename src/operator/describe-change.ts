import { isUtf8 } from 'node:buffer';
import { createTwoFilesPatch } from 'diff';
import type { FileState, HistoryEntry } from '../contract/capabilities/history.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';

/** One change as a unified diff, or as one line if there is no text to compare. Not cleaned. */
export function describeChange(
  entry: HistoryEntry,
  before: Buffer | undefined,
  after: Buffer | undefined,
  locale: Locale,
): string {
  const path = cleanLine(entry.path);
  const facts: Text[] = [];
  const { before: old, after: now } = entry;
  if (modeOf(old) !== modeOf(now) && modeOf(old) !== undefined && modeOf(now) !== undefined) {
    facts.push(text(`mode ${modeOf(old)} → ${modeOf(now)}`, `モード ${modeOf(old)} → ${modeOf(now)}`));
  }
  if (old.kind !== now.kind || old.kind === 'symlink') facts.push(arrow(nameOf(old), nameOf(now)));
  const sizes = arrow(sizeOf(old), sizeOf(now));
  const joined = () => facts.map((fact) => fact[locale]).join(text(', ', '、')[locale]);
  if (old.kind !== 'file' && now.kind !== 'file') return `${path}: ${joined()}`;
  const texts = [textOf(old, before), textOf(now, after)] as const;
  if (texts.some((each) => each === lost)) {
    facts.push(text('the content is no longer kept', '内容はもう保存されていません'));
  } else if (texts.some((each) => each === binary)) {
    facts.push(text(`binary, ${sizes.en}`, `バイナリ、${sizes.ja}`));
  } else if (old.kind === 'file' && old.isStart) {
    facts.push(text(`${sizes.en}, added at the end`, `${sizes.ja}、末尾に追記`));
  } else {
    const patch = createTwoFilesPatch(
      old.kind === 'file' ? `a/${path}` : '/dev/null',
      now.kind === 'file' ? `b/${path}` : '/dev/null',
      String(texts[0]),
      String(texts[1]),
    );
    return [...(facts.length > 0 ? [`${path}: ${joined()}`] : []), patch.trimEnd()].join('\n');
  }
  return `${path}: ${joined()}`;
}

function textOf(state: FileState, bytes: Buffer | undefined): string | typeof lost | typeof binary {
  if (state.kind !== 'file' || state.isStart || state.tail) return '';
  if (bytes === undefined) return lost;
  return bytes.includes(0) || !isUtf8(bytes) ? binary : bytes.toString('utf8');
}

function modeOf(state: FileState): string | undefined {
  return state.kind === 'file' || state.kind === 'folder' ? state.mode?.toString(8) : undefined;
}

function nameOf(state: FileState): Text {
  if (state.kind === 'symlink')
    return text(`a link to ${cleanLine(state.target)}`, `${cleanLine(state.target)} へのリンク`);
  return state.kind === 'absent' ? nothing : text(`a ${state.kind}`, kinds[state.kind].ja);
}

/** A short description of a state. */
export function sizeOf(state: FileState): Text {
  if (state.kind !== 'file') return state.kind === 'absent' ? nothing : kinds[state.kind];
  const mode = state.mode === undefined ? '' : ` ${state.mode.toString(8)}`;
  return text(`${counted(state.bytes, 'byte')}${mode}`, `${state.bytes} バイト${mode}`);
}

export function arrow(from: Text, to: Text): Text {
  return text(`${from.en} → ${to.en}`, `${from.ja} → ${to.ja}`);
}

const nothing = text('nothing', 'なし');

const kinds = {
  file: text('file', 'ファイル'),
  folder: text('folder', 'フォルダー'),
  symlink: text('symlink', 'シンボリックリンク'),
  other: text('other', 'その他'),
} as const;

const lost = Symbol('lost');
const binary = Symbol('binary');

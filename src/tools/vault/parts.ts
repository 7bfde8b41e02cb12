import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import type { NotePart, NoteReading, Vault } from '../../contract/capabilities/vault.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { onNote } from './rules.ts';

/** The argument `limits`, the same in read and scan. */
export const partLimits = z
  .strictObject({ max_chars: z.int().min(1).nullish().describe('Most characters of text, e.g. 4000.') })
  .nullish();

export const notePath = z.string().describe('Note, e.g. "ideas/house.md".');
export const jaNotePath = 'ノートのパス。例: "ideas/house.md"';
export const jaMaxChars = '本文の最大文字数。例: 4000';

export type Part = Extract<NoteReading, { kind: 'part' }>;

export interface WantedPart extends Omit<NotePart, 'maxChars'> {
  readonly maxChars: number | null | undefined;
  /** The argument that gives the start, for messages: `range` or `cursor`. */
  readonly argument: 'range' | 'cursor';
}

/** Reads a part of a note. Throws `invalid_parameter` for a start past the end, and returns which limit cut it. */
export async function readNotePart(
  vault: Vault,
  place: Place,
  wanted: WantedPart,
): Promise<{ readonly part: Part; readonly cutBy: 'max_chars' | 'hard_limit' | undefined }> {
  const { hardMaxChars } = vault.settings;
  const maxChars = Math.min(wanted.maxChars ?? hardMaxChars, hardMaxChars);
  const reading = await onNote(place, () => vault.readPart(place, { ...wanted, maxChars }));
  switch (reading.kind) {
    case 'past_end':
      throw pastEnd(place, wanted, reading.totalLines);
    case 'past_line':
      throw pastLine(place, wanted, reading.lineChars);
    case 'part': {
      const cutBy = !reading.cut ? undefined : maxChars === hardMaxChars ? 'hard_limit' : 'max_chars';
      return { part: reading, cutBy };
    }
  }
}

function pastEnd(place: Place, { argument, startLine }: WantedPart, totalLines: number): ToolError {
  return new ToolError(
    'invalid_parameter',
    `${argument}.start_line is ${startLine}, but ${place.shown} has ${totalLines} ${totalLines === 1 ? 'line' : 'lines'}.`,
    `${argument}.start_line は ${startLine} ですが、${place.shown} は ${totalLines} 行です。`,
    text(`Start at a line from 1 to ${totalLines}.`, `1 から ${totalLines} までの行を指定してください。`),
    { field: `${argument}.start_line`, total_lines: totalLines },
  );
}

function pastLine(
  place: Place,
  { argument, startLine, charOffset }: WantedPart,
  lineChars: number,
): ToolError {
  return new ToolError(
    'invalid_parameter',
    `${argument}.char_offset is ${charOffset}, but line ${startLine} of ${place.shown} has ${counted(lineChars, 'character')}.`,
    `${argument}.char_offset は ${charOffset} ですが、${place.shown} の ${startLine} 行目は ${lineChars} 文字です。`,
    text('Leave char_offset out to read the whole line.', '行全体を読むには char_offset を省いてください。'),
    { field: `${argument}.char_offset`, line_chars: lineChars },
  );
}

/** The wire's `{start_line, char_offset}` to continue from; `start_line` is null at the end. */
export function nextStart(part: Part): { start_line: number | null; char_offset?: number } {
  if (!part.next) return { start_line: null };
  return {
    start_line: part.next.line,
    ...(part.next.charOffset > 0 && { char_offset: part.next.charOffset }),
  };
}

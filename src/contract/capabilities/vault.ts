import type { Folder, Place } from './files.ts';

/** The capability `vault`: the folder of notes, reading by lines at any size, and its settings. Rules live in the toolset. */
export interface Vault {
  readonly folder: Folder;
  readonly settings: VaultSettings;
  /** Today's date as daily notes are named, `2026-02-11`, in the server's time zone. */
  today(): string;
  /**
   * A part of a note of any size, by lines that end at LF, CRLF or the end of the file. Never cuts inside a
   * character, and inside a line only where the line alone is over `maxChars`.
   */
  readPart(place: Place, part: NotePart): Promise<NoteReading>;
  /** The last line ending's kind, and whether the note ends with one; of an empty note neither. */
  readEnding(place: Place): NoteEnding;
  /** Calls back after each change of a note, its removal included, until the returned function is called. */
  watch(place: Place, changed: () => void): () => void;
  /** Runs work that reads and then writes a note after the same kind of work that began before it. */
  inTurn<T>(place: Place, work: (held: Place) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface NotePart {
  /** From 1. */
  readonly startLine: number;
  /** Code points of the first line to leave out. */
  readonly charOffset: number;
  /** The last line wanted; to the end of the file without it. */
  readonly endLine?: number | undefined;
  /** Code points of text at most, the LF between lines included. */
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

export type NoteReading =
  | {
      readonly kind: 'part';
      /** Lines joined by LF, no newline at the end, no byte order mark. */
      readonly text: string;
      readonly chars: number;
      readonly startLine: number;
      readonly endLine: number;
      readonly totalLines: number;
      /** Where the next part begins; absent exactly where the last character was delivered. */
      readonly next?: { readonly line: number; readonly charOffset: number } | undefined;
      /** `maxChars` ended it, and not the range. */
      readonly cut: boolean;
      /** Differs when the file changed. */
      readonly version: string;
    }
  | { readonly kind: 'past_end'; readonly totalLines: number }
  | { readonly kind: 'past_line'; readonly lineChars: number };

export interface NoteEnding {
  readonly newline: '\n' | '\r\n';
  /** True for an empty note too: a line can be added without a newline before it. */
  readonly atLineStart: boolean;
}

export interface VaultSettings {
  readonly hardMaxChars: number;
  readonly defaultChunkLines: number;
  readonly maxChunkLines: number;
  readonly extras: boolean;
}

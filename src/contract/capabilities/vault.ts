import type { Folder, Place } from './files.ts';

/** The capability `vault`: the notes folder, reading by lines at any size, and settings. Rules are in the toolset. */
export interface Vault {
  readonly folder: Folder;
  readonly settings: VaultSettings;
  /** Today's date as daily notes are named, `2026-02-11`, in the server's time zone. */
  today(): string;
  /** A part of a note by lines. Never cuts a character; cuts a line only if that alone exceeds `maxChars`. */
  readPart(place: Place, part: NotePart): Promise<NoteReading>;
  /** The kind of the last line ending, and whether the note ends with one; neither for an empty note. */
  readEnding(place: Place): NoteEnding;
  /** Calls back after each change of a note, including removal, until the returned function is called. */
  watch(place: Place, changed: () => void): () => void;
  /** Runs work that reads and then writes a note, after earlier such work on the same note. */
  inTurn<T>(place: Place, work: (held: Place) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface NotePart {
  /** From 1. */
  readonly startLine: number;
  /** Code points of the first line to skip. */
  readonly charOffset: number;
  /** The last line to read; default: the end of the file. */
  readonly endLine?: number | undefined;
  /** The most code points of text, including the LF between lines. */
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
      /** The start of the next part; undefined exactly if the last character was delivered. */
      readonly next?: { readonly line: number; readonly charOffset: number } | undefined;
      /** `maxChars` ended it, not the range. */
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

/** A model of `sekisho ask`. Its key is only named, never stored here. */
export interface ModelSettings {
  readonly model: string;
  readonly url: string;
  readonly keyVariable?: string | undefined;
  readonly keySecret?: string | undefined;
  /** The header for the key, if not `Authorization: Bearer`. */
  readonly keyHeader?: string | undefined;
  /** How long it may be silent before the attempt is abandoned. */
  readonly silenceMs: number;
  /** How much of the conversation is sent. */
  readonly contextChars: number;
  /** Its answers begin inside thoughts, which only `</think>` ends. */
  readonly beginsInThought?: boolean | undefined;
}

/** A model of `sekisho ask`. Its key is only named, never stored here. */
export interface ModelSettings {
  readonly model: string;
  readonly url: string;
  readonly keyVariable?: string | undefined;
  readonly keySecret?: string | undefined;
  readonly keyHeader?: string | undefined;
  readonly silenceMs: number;
  readonly contextChars: number;
  readonly beginsInThought?: boolean | undefined;
}

/** What may stand behind a command, as the shells' scripts need it. */
export interface CommandWords {
  /** Its words, e.g. `token create`; empty for `sekisho` alone. */
  readonly path: string;
  readonly children: readonly Described[];
  readonly options: readonly OptionWords[];
  /** What its argument may be, where that is a short list. */
  readonly choices: readonly string[];
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface OptionWords extends Described {
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

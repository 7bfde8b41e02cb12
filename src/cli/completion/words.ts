/** The words that may follow a command, for the shells' scripts. */
export interface CommandWords {
  /** The command's words, e.g. `token create`; empty for `sekisho` alone. */
  readonly path: string;
  readonly children: readonly Described[];
  readonly options: readonly OptionWords[];
  /** The possible values of its argument, if the list is short. */
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

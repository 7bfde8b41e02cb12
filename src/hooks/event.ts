import type { Text } from '../contract/text/text.ts';

/** A hook event, independent of the client. */
export type HookEvent =
  | {
      readonly kind: 'before';
      readonly session: string;
      /** The host path of the folder in which the client works. */
      readonly folder: string;
      /** The client's own id of this use of a tool. */
      readonly use: string;
      /** Empty if the tool does not touch the machine, or its calls come separately. */
      readonly calls: readonly NativeCall[];
      /** Whether the client can ask a person with our text. */
      readonly asks: boolean;
      /** The use itself: the client may ask its person about it later. */
      readonly asked: Use;
      /** The client may report one use by several hooks; each gets the same answer. */
      readonly again?: boolean | undefined;
    }
  /** The client is about to ask its person about this. */
  | { readonly kind: 'approval'; readonly session: string; readonly asked: Use }
  | {
      readonly kind: 'after';
      readonly session: string;
      readonly use: string;
      /** In the client's words; undefined if the tool succeeded. */
      readonly failure?: string | undefined;
    }
  /** The turn is over: tool uses that are still open did not happen. `said` is the message that began the next turn. */
  | { readonly kind: 'turn-over'; readonly session: string; readonly said?: string | undefined }
  | { readonly kind: 'session-over'; readonly session: string };

/** A client's tool with all its arguments, as the client names them. */
export interface Use {
  readonly tool: string;
  readonly input: unknown;
}

/** A use of a client's own tool, as the equivalent call of ours. */
export type NativeCall =
  /** `folder`: where it begins, if not in the client's folder. */
  | { readonly does: 'command'; readonly command: string; readonly folder?: string | undefined }
  /** Sekisho reads the file as well: what it may not read, the client may not. */
  | { readonly does: 'read'; readonly tool: string; readonly input: Fields }
  /** Sekisho only judges it; the client carries it out. */
  | { readonly does: 'look'; readonly tool: string; readonly input: Fields }
  /** The client changes this file; Sekisho reads it before and after. */
  | { readonly does: 'write'; readonly tool: string; readonly input: Fields; readonly path: string }
  /** A tool, or a form of one, that this version does not know. */
  | { readonly does: 'unknown'; readonly name: string };

export type Fields = Readonly<Record<string, unknown>>;

/** The answer for a client. */
export type HookAnswer =
  | { readonly kind: 'nothing' }
  /** `command` replaces the client's own. */
  | {
      readonly kind: 'allow';
      readonly command?: string | undefined;
      /** For the model, where the client passes it on. */
      readonly told?: string | undefined;
    }
  | { readonly kind: 'ask'; readonly words: string; readonly command?: string | undefined }
  | { readonly kind: 'deny'; readonly words: string };

/** A program's output and exit status, which the client reads of a hook. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** One client's format of hooks. */
export interface Adapter {
  /** The client's name in the log. */
  readonly name: string;
  /** Throws `HookInputError` if this is not an event of this client. */
  read(event: unknown): HookEvent;
  say(answer: HookAnswer, event: unknown): Said;
  /** For a client that does not show the text of status 2: says that an event cannot be decided. */
  refuse?(words: string): Said;
}

/** The input is not a valid event of the client; nothing is permitted on it. */
export class HookInputError extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.name = 'HookInputError';
    this.text = text;
  }
}

import type { Text } from '../contract/text/text.ts';

/** What a client's hook tells, whichever client it is. */
export type HookEvent =
  | {
      readonly kind: 'before';
      readonly session: string;
      /** Where the client works: host path. */
      readonly folder: string;
      /** The client's own name of this use of a tool. */
      readonly use: string;
      /** None: the tool reaches nothing of the machine, or its calls come by themselves. */
      readonly calls: readonly NativeCall[];
      /** Has the client a person whom it asks in our words? */
      readonly asks: boolean;
      /** The use itself, where the client asks its person about it later. */
      readonly asked?: Use | undefined;
      /** Its client may tell of one use by several hooks: each is answered the same. */
      readonly again?: boolean | undefined;
    }
  /** The client is about to ask its person about this. */
  | { readonly kind: 'approval'; readonly session: string; readonly asked: Use }
  | {
      readonly kind: 'after';
      readonly session: string;
      readonly use: string;
      /** In the client's words; absent where the tool succeeded. */
      readonly failure?: string | undefined;
    }
  /** Whatever of the session is still open came to nothing. `said`: the person began another turn with these words. */
  | { readonly kind: 'turn-over'; readonly session: string; readonly said?: string | undefined }
  | { readonly kind: 'session-over'; readonly session: string };

/** A client's tool with all its arguments, as the client names them. */
export interface Use {
  readonly tool: string;
  readonly input: unknown;
}

/** A use of a client's own tool, as the call of ours that does the same. */
export type NativeCall =
  /** `folder`: where it begins, if not where the client works. */
  | { readonly does: 'command'; readonly command: string; readonly folder?: string | undefined }
  /** We read as well: what we may not, the client may not. */
  | { readonly does: 'read'; readonly tool: string; readonly input: Fields }
  /** It is judged, and the client alone carries it out. */
  | { readonly does: 'look'; readonly tool: string; readonly input: Fields }
  /** The client changes this file; it is looked at before and after. */
  | { readonly does: 'write'; readonly tool: string; readonly input: Fields; readonly path: string }
  /** A tool, or a form of one, that this version does not know. */
  | { readonly does: 'unknown'; readonly name: string };

export type Fields = Readonly<Record<string, unknown>>;

/** What a client is to be told. */
export type HookAnswer =
  | { readonly kind: 'nothing' }
  /** `command` replaces the client's own. */
  | { readonly kind: 'allow'; readonly command?: string | undefined }
  | { readonly kind: 'ask'; readonly words: string; readonly command?: string | undefined }
  | { readonly kind: 'deny'; readonly words: string };

/** How a program tells its caller: what a client reads of a hook. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** One client's form of hooks. */
export interface Adapter {
  /** As the log names the client. */
  readonly name: string;
  /** Throws `HookInputError` for what is no event of this client. */
  read(event: unknown): HookEvent;
  say(answer: HookAnswer, event: unknown): Said;
  /** Where it does not show a person what status 2 comes with: how it is told that an event cannot be decided. */
  refuse?(words: string): Said;
}

/** What came is no event that the client could have sent; nothing is let through on it. */
export class HookInputError extends Error {
  readonly text: Text;

  constructor(text: Text) {
    super(text.en);
    this.name = 'HookInputError';
    this.text = text;
  }
}

import type { Text } from './text/text.ts';

/** Services for a client's own tools besides their calls. */
export interface Native {
  /** Reads a file before another program changes it; throws the error that our own write would get. */
  witness(path: string): Promise<Witness>;
  /** Throws the error that our own fetch would get, as far as it depends on the address alone. */
  checkAddress(url: string): Promise<void>;
  /** The folder in which a client's command begins; throws `out_of_scope` if it may not. */
  findFolder(folder: string): Promise<string>;
  /** Sets the folder in which the session's commands begin. */
  beginIn(sessionId: string, found: string): Promise<void>;
  /** Stores a message of the person in a conversation with the client, for the calls that its servers get. */
  hear(conversation: string, words: string): void;
  /** The conversation is over. */
  forget(conversation: string): void;
}

/** Watches one file that another program is about to change. */
export interface Witness {
  /** The changes of others since the session of the current call knew the file. Throws `conflict` if it may not be replaced. */
  assertFresh(): Promise<Text | undefined>;
  /** Looks again, and records a difference as a change by the current call. */
  settle(): Promise<void>;
}

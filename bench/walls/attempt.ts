/**
 * How a script is started: `run`, in the foreground, where it gets a layer; `background`; `beside` another command that
 * runs in the background; `off`, by a server without layers. The last three run on the folders themselves.
 */
export type Way = 'run' | 'background' | 'beside' | 'off';

/** Something hostile: a script that nobody has read, and what it needs beside it. */
export interface Attempt {
  readonly name: string;
  readonly script: string;
  readonly way: Way;
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

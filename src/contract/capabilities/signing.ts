import type { Text } from '../text/text.ts';

/** The hosts that commands reach by ssh, with a person's keys that stay outside. */
export interface SshAccess {
  readonly hosts: readonly SshHost[];
  /** The socket of the person's own agent; undefined if there is none. */
  readonly agent: string | undefined;
  /** The fingerprints (`SHA256:…`) of the keys that commands may use. Undefined: all that the agent has. */
  readonly keys?: readonly string[] | undefined;
}

export interface SshHost {
  readonly host: string;
  readonly port: number;
  /** The keys that it may prove itself by, as in a known_hosts file: `ssh-ed25519 AAAA…`. */
  readonly keys: readonly string[];
}

/** Signs commits and tags by a person's own programs, outside of the sandbox. */
export interface CommitSigner {
  /** The key, as git names it in the sandbox. */
  readonly key: string;
  /** The text that git asks to have signed, or the reason why it may not be. `key` is the one that git names. */
  read(asked: {
    readonly format: string;
    readonly key: string;
    readonly payload: Buffer;
  }): { readonly object: SignedObject } | { readonly because: Text };
  /** The armored signature. Rejects with the program's words. */
  sign(payload: Buffer, signal: AbortSignal): Promise<Buffer>;
}

export interface SignedObject {
  readonly kind: 'commit' | 'tag';
  /** The name of the key. */
  readonly key: string;
  /** Equal for the same object made again at another time. */
  readonly digest: string;
}

import type { Text } from '../text/text.ts';

/** Where a program may carry a credential. */
export type Carrying =
  | 'bearer'
  | 'basic'
  | 'path'
  | 'body'
  /** A signature of AWS, and nothing else: the value is `ID:SECRET` or `ID:SECRET:TOKEN`. */
  | 'sigv4'
  /** A parameter by its name. */
  | `query:${string}`
  /** A field by its name in lower case, e.g. `header:x-api-key`. */
  | `header:${string}`;

/** A credential of the operator, and where it may go. Commands only ever hold a stand-in for it. */
export interface SecretRule {
  readonly name: string;
  /** As in `process.network`. */
  readonly hosts: readonly string[];
  /** In upper case. Undefined: any. */
  readonly methods?: readonly string[] | undefined;
  /** Globs over the path. Undefined: any. */
  readonly paths?: readonly string[] | undefined;
  readonly as: readonly Carrying[];
  /** The variable in which commands find the stand-in; of a key of AWS the start of its names. */
  readonly variable: string;
  /** For git over https: the user beside it. */
  readonly username: string;
  /** False: no command gets a stand-in for it. */
  readonly commands?: boolean | undefined;
  /** Is it sent with the pages that `web_fetch` reads? */
  readonly webFetch?: boolean | undefined;
}

/** Keeps the values of credentials, sealed or in the person's keyring. */
export interface SecretKeeper {
  /** Keeps a value, or removes the name if it is undefined; false if there is none to remove. */
  set(name: string, value: string | undefined): Promise<boolean>;
}

/** The operator's credentials. */
export interface Secrets {
  readonly rules: readonly SecretRule[];
  /** Undefined if none is set. Asked again for each use, so that a removed one is not used any more. */
  valueOf(name: string): string | undefined;
  /** Why it has no value, and what to do. */
  whyNone(name: string): Text | undefined;
  /** Reads the values that take waiting and are due; undefined if there is none to wait for. Never rejects. */
  refresh(names: readonly string[]): Promise<unknown> | undefined;
}

/** Those of the credentials that are meant; undefined if there are none. */
export function someSecrets(
  secrets: Secrets | undefined,
  isMeant: (rule: SecretRule) => boolean,
): Secrets | undefined {
  const rules = secrets?.rules.filter(isMeant) ?? [];
  return secrets && rules.length > 0 ? { ...secrets, rules } : undefined;
}

/** A person who uses the console, a terminal or a notice. */
export interface Person {
  /** The name in approvals and the audit log: `cli:alice`, `console:user:bob`. */
  readonly name: string;
  /** The principal that owns their records: `local`, `user:NAME`. */
  readonly principal: string;
  /** Sees everyone's records, answers questions and acts. */
  readonly isOperator: boolean;
  /** The toolsets of the pasted token. Undefined: all. */
  readonly toolsets?: readonly string[] | undefined;
  /** How they logged in to the console. */
  readonly login?: 'link' | 'token' | 'passkey' | undefined;
  readonly face: 'cli' | 'console' | 'notice';
}

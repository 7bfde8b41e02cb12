/** A person behind one of the faces of this program. */
export interface Person {
  /** As approvals and the audit log name them: `cli:alice`, `console:user:bob`. */
  readonly name: string;
  /** Whose own records theirs are: `local`, `user:NAME`. */
  readonly principal: string;
  /** Sees everybody's records, answers questions and acts. */
  readonly isOperator: boolean;
  /** What the pasted token covers; absent: everything. */
  readonly toolsets?: readonly string[] | undefined;
  /** How they came into the console. */
  readonly login?: 'link' | 'token' | 'passkey' | undefined;
  readonly face: 'cli' | 'console' | 'notice';
}

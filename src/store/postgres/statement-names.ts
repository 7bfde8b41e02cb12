import { createHash } from 'node:crypto';

/** Names under which a connection keeps the plans of our statements. */
export interface StatementNames {
  of(text: string): string | undefined;
  /** What was planned before is not used again. */
  renew(): void;
}

/** A name is made of its text: connections that come and go, and servers of two versions, never mean two by one. */
export function createStatementNames(): StatementNames {
  const known = new Map<string, string>();
  let generation = 0;
  return {
    of(text) {
      const name = known.get(text);
      // Lists of any length make texts without number, and each name is memory of each connection.
      if (name !== undefined || known.size >= namedStatements) return name;
      const made = `${generation}_${createHash('sha256').update(text).digest('base64url')}`;
      known.set(text, made);
      return made;
    },
    renew() {
      known.clear();
      generation += 1;
    },
  };
}

const namedStatements = 500;

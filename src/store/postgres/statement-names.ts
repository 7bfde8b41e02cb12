import { createHash } from 'node:crypto';

/** Names under which a connection stores plans of our statements. */
export type StatementNames = ReturnType<typeof createStatementNames>;

/** A name is derived from its text, so connections and servers of two versions never use it for another text. */
export function createStatementNames() {
  const known = new Map<string, string>();
  let generation = 0;
  return {
    of(text: string): string | undefined {
      const name = known.get(text);
      // Lists of any length cause unlimited texts, and each name costs memory in each connection.
      if (name !== undefined || known.size >= namedStatements) return name;
      const made = `${generation}_${createHash('sha256').update(text).digest('base64url')}`;
      known.set(text, made);
      return made;
    },
    /** Stop using earlier plans. */
    renew() {
      known.clear();
      generation += 1;
    },
  };
}

const namedStatements = 500;

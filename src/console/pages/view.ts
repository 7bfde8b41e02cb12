import type { html } from 'hono/html';
import type { Halt } from '../../contract/halt.ts';
import type { Person } from '../../contract/people/person.ts';
import type { Locale } from '../../contract/text/text.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Say } from '../words.ts';

export type Html = ReturnType<typeof html>;

/** The data that a page needs before a login. */
export interface Outside {
  readonly locale: Locale;
  readonly say: Say;
  readonly assets: AssetPaths;
}

/** The data that every page of a logged-in person needs. */
export interface View extends Outside {
  readonly dependencies: ConsoleDependencies;
  readonly person: Person;
  /** Proves that a form comes from one of our pages. */
  readonly csrf: string;
  /** Path and query of this page. */
  readonly here: URL;
  /** The number of open questions, for the badge in the menu. */
  readonly waiting: number;
  /** Whether an approval of this person needs their device's unlock. */
  readonly needsUnlock: boolean;
  /** Set while a person has stopped all work. */
  readonly halt: Halt | undefined;
}

export interface AssetPaths {
  readonly css: string;
  readonly scripts: readonly string[];
  readonly icon: string;
}

/** The principal whose records this person may see; undefined: all. */
export function scopeOf(person: Person): string | undefined {
  return person.isOperator ? undefined : person.principal;
}

/** Whether this person may see a record. */
export function maySee(person: Person, { principal }: { readonly principal: string }): boolean {
  return person.isOperator || principal === person.principal;
}

import type { html } from 'hono/html';
import type { Person } from '../../contract/person.ts';
import type { Locale } from '../../contract/text/text.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { Words } from '../words/en.ts';

export type Html = ReturnType<typeof html>;

/** What every page of a logged-in person needs to be drawn. */
export interface View {
  readonly dependencies: ConsoleDependencies;
  readonly person: Person;
  readonly locale: Locale;
  readonly words: Words;
  /** Proves that a form comes from a page of ours. */
  readonly csrf: string;
  /** Path and query of this page. */
  readonly here: URL;
  /** How many questions wait, for the mark in the menu. */
  readonly waiting: number;
  /** Does a yes of this person need their device's unlock? */
  readonly needsUnlock: boolean;
  readonly assets: AssetPaths;
}

export interface AssetPaths {
  readonly css: string;
  readonly scripts: readonly string[];
  readonly icon: string;
}

/** Whose records this person may see; undefined: everybody's. */
export function scopeOf(person: Person): string | undefined {
  return person.isOperator ? undefined : person.principal;
}

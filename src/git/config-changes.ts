import type { RemoteChanges } from '../contract/capabilities/judgement.ts';
import {
  type ConfigEntry,
  type ConfigText,
  nameOf,
  type PlacedEntry,
  printHeader,
  printVariable,
  readConfig,
} from './config-file.ts';
import { isHarmless } from './harmless-keys.ts';

/** The new values of a variable, in order; empty to remove it. */
export interface Change {
  readonly entry: Pick<ConfigEntry, 'section' | 'subsection' | 'key'>;
  readonly values: readonly string[];
  readonly before: readonly string[];
}

/** A command's changes to a configuration: those it may make, and the names of the refused ones. */
export interface Changes {
  readonly allowed: readonly Change[];
  readonly refused: readonly string[];
}

/** Whether a path is inside what was served; called for paths in the content of files. */
export type LeadsInside = (target: string) => boolean;

/** Harmful settings may stay. New ones, and new addresses of remotes, are refused unless a person agreed. */
export function changesOf(
  before: ConfigText,
  after: ConfigText,
  leadsInside: LeadsInside,
  agreed: RemoteChanges = nothing,
): Changes {
  const allowed: Change[] = [];
  const refused: string[] = [];
  const addresses = before.entries.filter(isAddress);
  const remotes = new Set(addresses.map(({ subsection }) => subsection));
  const isAgreedRemote = ({ subsection = '' }: ConfigEntry) => agreed.remotes.includes(subsection);
  // A renamed remote keeps its address.
  const mayLeadTo = new Set([
    ...agreed.addresses,
    ...addresses.filter(isAgreedRemote).map(({ value }) => value),
  ]);
  const mayBe = (entry: ConfigEntry) =>
    isHarmless(entry) || (nameOf(entry) === 'core.worktree' && leadsInside(entry.value));
  const then = byName(before.entries);
  const now = byName(after.entries);
  for (const name of new Set([...then.keys(), ...now.keys()])) {
    const was = then.get(name) ?? [];
    const is = now.get(name) ?? [];
    const [entry] = is.length > 0 ? is : was;
    if (!entry || isSame(was, is)) continue;
    const isAgreed = isAgreedRemote(entry) && is.every(({ value }) => mayLeadTo.has(value));
    const isRedirected = isAddress(entry) && remotes.has(entry.subsection) && !isAgreed;
    if (isRedirected || ![...was, ...is].every(mayBe)) refused.push(name);
    else allowed.push({ entry, values: is.map(({ value }) => value), before: was.map(({ value }) => value) });
  }
  return { allowed, refused };
}

const nothing: RemoteChanges = { remotes: [], addresses: [] };

/** The configuration with these changes; everything else is unchanged, such as comments and unreadable parts. */
export function withChanges(content: string, changes: readonly Change[]): string {
  const { entries } = readConfig(content);
  const old = byName(entries);
  const sections = new Map(entries.map((entry) => [printHeader(entry), entry]));
  const edits: { readonly from: number; readonly to: number; readonly lines: string }[] = [];
  const added = new Map<string, string>();
  for (const { entry, values } of changes) {
    const lines = values.map((value) => printVariable({ key: entry.key, value })).join('');
    const header = printHeader(entry);
    const [first, ...rest] = old.get(nameOf(entry)) ?? [];
    const neighbour = sections.get(header);
    if (first) edits.push({ ...first, lines }, ...rest.map((each) => ({ ...each, lines: '' })));
    else if (neighbour) edits.push({ from: neighbour.to, to: neighbour.to, lines });
    else added.set(header, `${added.get(header) ?? header}${lines}`);
  }
  edits.sort((a, b) => a.from - b.from || a.to - b.to);
  edits.push({ from: content.length, to: content.length, lines: [...added.values()].join('') });
  let changed = '';
  let at = 0;
  for (const { from, to, lines } of edits) {
    changed += content.slice(at, from);
    if (lines !== '' && changed !== '' && !changed.endsWith('\n')) changed += '\n';
    changed += lines;
    at = to;
  }
  return changed + content.slice(at);
}

function byName(entries: readonly PlacedEntry[]): ReadonlyMap<string, readonly PlacedEntry[]> {
  return Map.groupBy(entries, nameOf);
}

function isSame(a: readonly ConfigEntry[], b: readonly ConfigEntry[]): boolean {
  return a.length === b.length && a.every(({ value }, index) => value === b[index]?.value);
}

function isAddress({ section, key }: Pick<ConfigEntry, 'section' | 'key'>): boolean {
  return section === 'remote' && (key === 'url' || key === 'pushurl');
}

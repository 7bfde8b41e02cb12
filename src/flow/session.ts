import type {
  FlowFinding,
  FlowKind,
  FlowRead,
  FlowSession,
  FlowSource,
  FlowTarget,
  FlowTool,
} from '../contract/flow.ts';
import { isCredentialName, isCredentialPath } from '../ground/content/places.ts';
import { holdsCredential } from '../ground/secrets/without-secrets.ts';
import { becauseOf } from './because.ts';
import { kindOf, readsOutside } from './kinds.ts';
import { leavesOf } from './leaves.ts';
import { type Carried, createCarried, createMemory } from './memory.ts';
import { stood } from './origins.ts';
import { createSaid } from './said.ts';
import { normal } from './scan.ts';
import { type Candidate, candidatesOf, hostOf, isAddress, isHeading, isId } from './targets.ts';

const maxAgreed = 4096;

/**
 * What was read and said in one session, and the rule over it: where a call sends something out, or gives rights, or
 * deletes, each *where or what* that stood in a stranger's text and is neither in the user's words nor rooted in them is
 * found. Pure: no clock, no I/O, bounded in memory and in work for each result.
 */
export function createFlowSession(carried: Carried = createCarried()): FlowSession {
  const said = createSaid();
  const memory = createMemory(carried);
  const agreed = new Set<string>();
  let readPrivate = false;
  let readOutside = false;
  let secret: FlowSource | undefined;

  function isNamed(value: string): boolean {
    if (said.has(value)) return true;
    const host = hostOf(value);
    return host !== undefined && said.has(host);
  }

  function targetOf(candidate: Candidate, kind: FlowFinding['kind']): FlowTarget | undefined {
    const { argument, value } = candidate;
    if (isNamed(value)) return undefined;
    const meant = { argument, value, grants: grantedBy(value) };
    const known = memory.originOf(value);
    if (!known) {
      const hidden = memory.hiddenOrigin(value);
      if (hidden) return { ...meant, source: hidden.source, line: hidden.line, why: 'assembled' };
      // Only the user's words delete or give rights, and an address that neither they nor a text have was made up.
      const isMadeUp = said.isKnown()
        ? readOutside && (kind !== 'send' || isAddress(value))
        : kind === 'delete';
      return isMadeUp ? { ...meant, why: 'nowhere' } : undefined;
    }
    const { flags, source, line } = known.origin;
    const target: FlowTarget = { ...meant, source, line, why: 'read' };
    if (kind === 'delete') return target;
    if (kind === 'rights')
      return isOpaque(value) && (flags & vouched(said.isKnown())) !== 0 ? undefined : target;
    if (flags & (stood.rooted | stood.own)) return undefined;
    const isField = (flags & stood.field) !== 0;
    if (!said.isKnown()) return known.isPlain || isField ? undefined : target;
    // An id names a record of the server's own, and whoever wrote it in no text has not chosen the record.
    return isField && isId(argument) && isOpaque(value) && !(flags & stood.prose) ? undefined : target;
  }

  /** What holds a credential may send it in any form, also in one that nobody would know again. */
  function afterSecret({ argument, value }: Candidate): FlowTarget | undefined {
    if (!secret || !isAddress(value) || isNamed(value)) return undefined;
    return { argument, value, grants: grantedBy(value), source: secret, line: 1, why: 'secret' };
  }

  /** Was this asked for in the user's words, or in what these led to? Then a stranger did not choose the record. */
  function isRooted(tool: FlowTool, input: unknown): boolean {
    if (!said.isKnown()) return false;
    const all = candidatesOf(input, tool.inputSchema('en'), true).filter(({ isEmbedded }) => !isEmbedded);
    // Beside a name, a number is how many or how much.
    const names = all.filter(({ value }) => Number.isNaN(Number(value)));
    const wheres = names.length > 0 ? names : all;
    return (
      wheres.length > 0 &&
      wheres.every(
        ({ value }) => isNamed(value) || ((memory.originOf(value)?.origin.flags ?? 0) & stood.rooted) !== 0,
      )
    );
  }

  /** Did a stranger's text say what to look for? Then it chose what was found, too. */
  function isLed(tool: FlowTool, input: unknown): boolean {
    return candidatesOf(input, tool.inputSchema('en'), true).some(({ value }) => {
      const flags = memory.originOf(value)?.origin.flags ?? 0;
      return flags & stood.prose && !(flags & (stood.rooted | stood.own)) && !isNamed(value);
    });
  }

  let last = '';
  return {
    says(words) {
      if (words !== last) said.add(words);
      last = words;
    },
    reads({ tool, input, texts, structured, atMs }: FlowRead) {
      const isOutside = readsOutside(tool, input);
      const source: FlowSource = { tool: tool.name, place: placeOf(input), atMs };
      if (isOutside) readOutside = true;
      else if (texts.length > 0) readPrivate = true;
      if (readsSecret(input, isOutside ? [] : texts)) secret ??= source;
      const isFetched = isOutside && isRooted(tool, input);
      const found = isOutside && isLed(tool, input) ? stood.led : stood.field;
      memory.reading(input);
      for (const { text: words, isField, line, isBesideProse } of leavesOf(texts, structured)) {
        // Whoever wrote the text of a record may have filled its fields, but for the id that it is kept under.
        const isRootedField = isFetched && (!isBesideProse || isOpaque(words) || said.sharesWord(words));
        const fieldFlags = isRootedField ? found | stood.rooted : found;
        const flags = !isOutside ? stood.own : isField ? fieldFlags : stood.prose;
        if (isField) memory.noteField(words, flags, source, line);
        else memory.noteText(words, flags, source, line);
      }
    },
    writes(tool, input) {
      if (tool.server !== undefined || tool.annotations.readOnly || !readOutside) return;
      memory.carry(input);
    },
    judge(tool, input) {
      const kind = kindOf(tool);
      if (!kind) return undefined;
      const candidates = candidatesOf(input, tool.inputSchema('en'), kind !== 'send');
      // What goes to where the user said is what they are told, and no longer a stranger's choice.
      const isGoingWhereSaid =
        kind === 'send' && candidates.some(({ value }) => isAddress(value) && isNamed(value));
      const targets = candidates
        .filter(({ argument, value }) => !(isGoingWhereSaid && isHeading(argument) && !isAddress(value)))
        .filter(({ value }) => !agreed.has(agreement(tool, kind, value)))
        .flatMap((candidate) => targetOf(candidate, kind) ?? afterSecret(candidate) ?? []);
      if (targets.length === 0) return undefined;
      return { kind, targets, because: becauseOf(kind, targets) };
    },
    agreed(tool, targets) {
      const kind = kindOf(tool);
      for (const { value } of targets) {
        if (kind && agreed.size < maxAgreed) agreed.add(agreement(tool, kind, value));
      }
    },
    labels: () => ({ readPrivate, readOutside, readKeys: secret !== undefined }),
  };
}

/** By the place that was asked for, or by what the user's own holds: pages show keys that open nothing. */
function readsSecret(input: unknown, texts: readonly string[]): boolean {
  const places = typeof input === 'object' && input !== null ? Object.values(input) : [];
  return (
    places.some(
      (place) => typeof place === 'string' && (isCredentialPath(place) || isCredentialName(place)),
    ) || texts.some((each) => holdsCredential(each))
  );
}

/** What an id must be to stand for the record that is meant. */
function vouched(isKnown: boolean): number {
  return stood.own | (isKnown ? stood.rooted : stood.field);
}

/** An id that says nothing by itself: it cannot name whom a right is given to. */
function isOpaque(value: string): boolean {
  return /\d/.test(value) && !/[@\s]|:\/\//.test(value) && !isAddress(value);
}

/** Who agrees to an address agrees to it for all that a server sends; a right, a deletion, and what is meant, for the tool. */
function agreement({ name, server }: FlowTool, kind: FlowKind, value: string): string {
  const isForServer = kind === 'send' && isAddress(value);
  return `${isForServer ? server : name} ${grantedBy(value)}`;
}

/** Who agrees to a link agrees to its host: pages of one place lead to each other. */
function grantedBy(value: string): string {
  return hostOf(value) ?? normal(value).toLowerCase();
}

/** What a call asked for, as a person recognizes it: its first short value. */
function placeOf(input: unknown): string {
  return (
    leavesOf([], input)
      .find(({ isField }) => isField)
      ?.text.slice(0, 80) ?? ''
  );
}

import type { FlowKind, FlowRead, FlowSession, FlowSource, FlowTarget, FlowTool } from '../contract/flow.ts';
import { isCredentialName, isCredentialPath } from '../ground/content/places.ts';
import { holdsCredential } from '../ground/secrets/without-secrets.ts';
import { becauseOf } from './because.ts';
import { isAboutAccount, isOfAccount, kindOf, readsOutside } from './kinds.ts';
import { leavesOf } from './leaves.ts';
import { type Carried, createCarried, Memory } from './memory.ts';
import { stood } from './origins.ts';
import { createSaid, type Said } from './said.ts';
import { normal } from './scan.ts';
import {
  type Candidate,
  candidatesOf,
  hostOf,
  isAddress,
  isHeading,
  isId,
  isOneTimeCode,
} from './targets.ts';

const maxAgreed = 4096;

/**
 * The reads and the user's words of one session, and the rule over them: if a call sends something out, gives rights or
 * deletes, find each *where or what* that occurred in untrusted text and is neither in the user's words nor derived
 * from them. Pure: no clock, no I/O, bounded in memory and in work per result.
 */
export function createFlowSession(
  carried: Carried = createCarried(),
  { forgot = false }: { readonly forgot?: boolean } = {},
): FlowSession {
  const said = createSaid();
  const memory = new Memory(carried);
  const agreed = new Set<string>();
  /** Addresses of the account that a server works for: what goes there goes to nobody else. */
  const account = new Set<string>();
  let readPrivate = forgot;
  let readOutside = forgot;
  let secret: FlowSource | undefined;

  function targetOf(candidate: Candidate, kind: FlowKind, tool: FlowTool): FlowTarget | undefined {
    const { argument, value } = candidate;
    if (isNamed(said, value) || (kind !== 'delete' && account.has(grantedBy(value)))) return undefined;
    const meant = { argument, value, grants: grantedBy(value) };
    const known = memory.originOf(value);
    if (!known) {
      const hidden = memory.hiddenOrigin(value);
      if (hidden) return { ...meant, source: hidden.source, line: hidden.line, why: 'assembled' };
      if (forgot) return { ...meant, why: 'forgotten' };
      // Only the user's words may delete or give rights, and an address from neither them nor a text was invented.
      const isMadeUp = said.isKnown()
        ? readOutside && (kind !== 'send' || isAddress(value))
        : kind === 'delete';
      return isMadeUp ? { ...meant, why: 'nowhere' } : undefined;
    }
    const { flags, source, line } = known.origin;
    const target: FlowTarget = { ...meant, source, line, why: 'read' };
    if (kind === 'delete') return target;
    if (source?.tool.startsWith(`${tool.server}__`) && isOneTimeCode(candidate)) return undefined;
    if (kind === 'rights')
      return isOpaque(value) && (flags & vouched(said.isKnown())) !== 0 ? undefined : target;
    if (flags & (stood.rooted | stood.own)) return undefined;
    const isField = (flags & stood.field) !== 0;
    if (!said.isKnown()) return known.isPlain || isField ? undefined : target;
    // An id refers to a record of the server; if it occurred in no prose, no stranger has chosen the record.
    return isField && isId(argument) && isOpaque(value) && !(flags & stood.prose) ? undefined : target;
  }

  /** After a credential was read, it could be sent in any encoding, even one that cannot be recognized. */
  function afterSecret({ argument, value }: Candidate): FlowTarget | undefined {
    if (!secret || !isAddress(value) || isNamed(said, value)) return undefined;
    return { argument, value, grants: grantedBy(value), source: secret, line: 1, why: 'secret' };
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
      const isFetched = isOutside && isRooted(said, memory, tool, input);
      const found = isOutside && isLed(said, memory, tool, input) ? stood.led : stood.field;
      memory.reading(input);
      const tellsAccount = isAboutAccount(tool, input);
      for (const { text: words, isField, line, isBesideProse, key } of leavesOf(texts, structured)) {
        if (tellsAccount && isField && isAddress(words) && isOfAccount(key) && account.size < maxAgreed)
          account.add(grantedBy(words));
        // The author of a record's text may have filled in its fields, except for the id of the record.
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
      // Content sent to the user's own destination is what the recipient should get, not a stranger's choice.
      const isGoingWhereSaid =
        kind === 'send' &&
        candidates.some(
          ({ value }) => isAddress(value) && (isNamed(said, value) || account.has(grantedBy(value))),
        );
      const targets = candidates
        .filter(({ argument, value }) => !(isGoingWhereSaid && isHeading(argument) && !isAddress(value)))
        .filter(({ value }) => !agreed.has(agreement(tool, kind, value)))
        .flatMap((candidate) => targetOf(candidate, kind, tool) ?? afterSecret(candidate) ?? []);
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

function isNamed(said: Said, value: string): boolean {
  if (said.has(value)) return true;
  const host = hostOf(value);
  return host !== undefined && said.has(host);
}

/** Whether the user's words, or results of these, asked for it. Then no stranger chose the record. */
function isRooted(said: Said, memory: Memory, tool: FlowTool, input: unknown): boolean {
  if (!said.isKnown()) return false;
  const all = candidatesOf(input, tool.inputSchema('en'), true).filter(({ isEmbedded }) => !isEmbedded);
  // Beside a name, a number is a quantity.
  const names = all.filter(({ value }) => Number.isNaN(Number(value)));
  const wheres = names.length > 0 ? names : all;
  return (
    wheres.length > 0 &&
    wheres.every(
      ({ value }) =>
        isNamed(said, value) || ((memory.originOf(value)?.origin.flags ?? 0) & stood.rooted) !== 0,
    )
  );
}

/** Whether untrusted text chose the query. Then it also chose the result. */
function isLed(said: Said, memory: Memory, tool: FlowTool, input: unknown): boolean {
  return candidatesOf(input, tool.inputSchema('en'), true).some(({ value }) => {
    const flags = memory.originOf(value)?.origin.flags ?? 0;
    return flags & stood.prose && !(flags & (stood.rooted | stood.own)) && !isNamed(said, value);
  });
}

/** Judged by the requested place, or by the content if it is the user's own: pages show sample keys. */
function readsSecret(input: unknown, texts: readonly string[]): boolean {
  const places = typeof input === 'object' && input !== null ? Object.values(input) : [];
  return (
    places.some(
      (place) => typeof place === 'string' && (isCredentialPath(place) || isCredentialName(place)),
    ) || texts.some((each) => holdsCredential(each))
  );
}

/** The flags of an id that refers to the intended record. */
function vouched(isKnown: boolean): number {
  return stood.own | (isKnown ? stood.rooted : stood.field);
}

/** An id without meaning: it cannot name the recipient of a right. */
function isOpaque(value: string): boolean {
  return /\d/.test(value) && !/[@\s]|:\/\//.test(value) && !isAddress(value);
}

/** An approved address covers all that its server sends there; a right, deletion or id, only this tool. */
function agreement({ name, server }: FlowTool, kind: FlowKind, value: string): string {
  const isForServer = kind === 'send' && isAddress(value);
  return `${isForServer ? server : name} ${grantedBy(value)}`;
}

/** Approving a link covers its host: pages of one site link to each other. */
function grantedBy(value: string): string {
  return hostOf(value) ?? normal(value).toLowerCase();
}

/** A call's target for a person: its first short value. */
function placeOf(input: unknown): string {
  return (
    leavesOf([], input)
      .find(({ isField }) => isField)
      ?.text.slice(0, 80) ?? ''
  );
}

import { createHash } from 'node:crypto';
import { type Text, text } from '../../../contract/text/text.ts';
import type { EdgeRequest, RequestVerdict } from '../request.ts';
import { type Asked, readRequest } from './asked.ts';
import { carriedBy, forKnown, forStrangers } from './carried.ts';
import { type Dialect, type Found, fill, fillText, matchRow, type Row, speaks } from './dialect.ts';
import { otherMethod, rest } from './dialects/rest.ts';
import { dialects, everywhere } from './dialects.ts';

/** Judges a request before anything of it leaves. A request whose effect is unknown never counts as reading. */
export function judgeRequest(request: EdgeRequest): RequestVerdict {
  const asked = readRequest(request);
  const { dialect, row, found, isKnown } = rowFor(asked);
  const look = row.look?.(asked, found) ?? {};
  const kind = look.kind ?? row.kind;
  const isReading = kind === 'read';
  const why =
    asked.odd ?? (isReading ? whySending(asked, row, isKnown && dialect.isShared !== true) : undefined);
  const isSending = isReading && why !== undefined;
  return {
    kind: isSending ? 'send' : kind,
    dialect: dialect.name,
    summary: isSending ? sendsBy(request) : fillText(look.says ?? row.says, values(found, request)),
    // A form that is read in two ways is covered by no grant but one for itself.
    pathPattern: bounded(asked.odd || why ? request.target : (look.covers ?? coveredBy(row, asked, found))),
    notes: [...(why ? [why] : []), ...(look.notes ?? [])],
  };
}

/** The whole target where a row does not say that less is meant. */
function coveredBy(row: Row, { path, request: { target } }: Asked, found: Found): string {
  if (row.covers !== undefined) return fill(row.covers, found);
  return target.includes('?') ? `${path}${target.slice(target.indexOf('?'))}` : path;
}

const maxPatternChars = 1000;

function bounded(pattern: string): string {
  if (pattern.length <= maxPatternChars) return pattern;
  return `${pattern.slice(0, maxPatternChars)}…${createHash('sha256').update(pattern).digest('hex')}`;
}

function values(found: Found, { host, method }: EdgeRequest): Found {
  return new Map([...found, ['host', host], ['method', method]]);
}

function sendsBy({ method, host }: EdgeRequest): Text {
  return text(`sends data to ${host} by ${method}`, `${method} で ${host} にデータを送ります`);
}

interface Chosen {
  readonly dialect: Dialect;
  readonly row: Row;
  readonly found: Found;
  readonly isKnown: boolean;
}

/** The first row that fits: of protocols that any host may speak, of the host's own, and of others by their shape. */
function rowFor(asked: Asked): Chosen {
  const own = dialects.filter((each) => speaks(each, asked.request.host));
  const strangers = dialects.filter((each) => !own.includes(each) && each.shape?.(asked) === true);
  for (const [some, isKnown] of [
    [everywhere, false],
    [own, true],
    [strangers, false],
  ] as const) {
    for (const dialect of some) {
      for (const row of dialect.rows) {
        // A stranger chooses its own paths: only a row whose whole body is read makes a reading request of one.
        if (!isKnown && row.kind === 'read' && row.body !== undefined && row.anywhere !== true) continue;
        const found = matchRow(row, asked);
        if (found) return { dialect, row, found, isKnown };
      }
    }
  }
  const row = rest.rows.find((each) => matchRow(each, asked)) ?? otherMethod;
  return { dialect: own[0] ?? rest, row, found: new Map(), isKnown: own.length > 0 };
}

function whySending(asked: Asked, row: Row, isKnown: boolean): Text | undefined {
  const carries = carriedBy(asked, isKnown ? forKnown : forStrangers, row.body !== undefined);
  return carries ?? row.body?.(asked, isKnown);
}

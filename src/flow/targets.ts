import { isShort } from './leaves.ts';

/** A part of a call that says where something goes, or which thing is meant. */
export interface Candidate {
  readonly argument: string;
  readonly value: string;
  /** An address inside a longer text. */
  readonly isEmbedded: boolean;
}

const maxCandidates = 200;
const maxDepth = 8;
/** In a longer text a link is one of many words, and summaries of pages are full of them. */
const maxMessageChars = 300;

/**
 * The where and what of a call: each short argument whole, and the addresses in short messages. Values that the schema
 * lists or mentions are the server's own. A date, a truth value, a quantity or an element of a page sends nothing anywhere.
 */
export function candidatesOf(input: unknown, schema: unknown, withNumbers: boolean): readonly Candidate[] {
  const found: Candidate[] = [];

  function visit(value: unknown, shape: unknown, argument: string, depth: number): void {
    if (found.length >= maxCandidates || depth > maxDepth) return;
    if (typeof value === 'number') {
      if (withNumbers || Math.abs(value) >= 1e7)
        found.push({ argument, value: String(value), isEmbedded: false });
    } else if (typeof value === 'string') {
      if (isElement(argument, value) || (!withNumbers && isQuantity(argument, value))) return;
      if (!isListed(value, shape)) found.push(...inText(value, argument));
    } else if (Array.isArray(value)) {
      for (const [place, each] of value.entries())
        visit(each, member(shape, 'items'), `${argument}.${place}`, depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        const path = argument === '' ? name : `${argument}.${name}`;
        visit(each, member(member(shape, 'properties'), name), path, depth + 1);
      }
    }
  }

  visit(input, schema, '', 0);
  return found;
}

/** Arguments with the content of a message, not its destination or subject. */
const contents = /^(?:body|content|text|message|description|comment|notes?|summary|html|markdown)$/;

/** Whether this is the heading of a message. */
export function isHeading(argument: string): boolean {
  return headings.test(nameOf(argument));
}

const headings = /^(?:subject|title|heading|headline)$/;

/** The last name in an argument's path: its own, or that of the list that it is in. */
function nameOf(argument: string): string {
  return /[^.]*$/.exec(withoutPlaces(argument))?.[0].toLowerCase() ?? '';
}

function withoutPlaces(argument: string): string {
  return argument.replace(/(?:\.\d+)+$/, '');
}

/** Whether this argument, or the list that it is in, contains ids by its name. */
export function isId(argument: string): boolean {
  return /(?:^|[^a-z])(?:uu)?ids?$|[a-z]Ids?$/.test(withoutPlaces(argument));
}

/** Whether this names an element of the page that is open, such as a field of a form. */
function isElement(argument: string, value: string): boolean {
  const name = nameOf(argument);
  if (/^(ref|uid)s?$/.test(name)) return /^[a-z]{0,3}\d{1,5}(?:[_e]\d{1,5})*$/.test(value);
  return elements.test(name) && addressesIn(value).length === 0;
}

const elements =
  /^(?:(?:input|field|element|button|control|checkbox)_?(?:id|ref|uid)s?|element|(?:css_?)?selector|xpath)$/;

/** Whether this text is a short number, as of the type `number`, in an argument that names no person or place. */
function isQuantity(argument: string, value: string): boolean {
  const named = nameOf(argument).replace(/_?(?:id|number)s?$/, '');
  return /^[+-]?\d{1,7}(?:[.,]\d{1,7})?%?$/.test(value.trim()) && named !== '' && !addressed.test(named);
}

const addressed =
  /^(?:to|b?cc|recipient|receiver|target|phone|mobile|account|channel|chat|user|room|host|port)s?$/;

/** Whether this is a code that a server sends once and expects back: `{ otp: '482913' }`. */
export function isOneTimeCode({ argument, value }: Candidate): boolean {
  return codes.test(nameOf(argument)) && /^(?=.*\d)[A-Z\d]{3,4}[ -]?[A-Z\d]{0,4}$/i.test(value);
}

const codes =
  /^(?:otp|pin|passcode|(?:(?:one_?time|verif\w+|confirm\w*|security|auth\w*|login|two_?factor|2fa|mfa|sms)_?)?code)$/;

/** Whether this is an address and nothing else. */
export function isAddress(value: string): boolean {
  return addressesIn(value)[0] === value;
}

function inText(value: string, argument: string): readonly Candidate[] {
  const trimmed = value.trim();
  if (trimmed === '' || isTime(trimmed) || trimmed.length > maxMessageChars) return [];
  const whole = { argument, value: trimmed, isEmbedded: false };
  const addresses = addressesIn(trimmed).map((address) => ({ argument, value: address, isEmbedded: true }));
  if (contents.test(nameOf(argument))) return addresses;
  if (isShort(trimmed))
    return addresses.some((each) => each.value === trimmed) ? [whole] : [whole, ...addresses];
  return addresses;
}

/** Mail addresses, links and account numbers, by form. Linear, also for one word of megabytes. */
export function addressesIn(text: string): readonly string[] {
  const found = text.match(text.includes('@') || text.includes('://') ? addresses : withoutSigns);
  return (found ?? []).map((address) => address.replace(/[.,:;!?]+$/, ''));
}

const link = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'()]+/;
/** The limits exclude no real address, and keep each letter from starting a long attempt. */
const mail = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/;
const site = /\bwww\.[\w-]+(?:\.[\w-]+)+[^\s<>"'()]*/;
const iban = /\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/;
/** The lookahead requires a digit first: trying each start would take quadratic time. */
const number = /\b(?=[A-Z]*\d[A-Z0-9]{11})[A-Z0-9]{12,}\b/;
const addresses = oneOf(link, mail, site, iban, number);
const withoutSigns = oneOf(site, iban, number);

function oneOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'gi');
}

/** The host of a link. */
export function hostOf(value: string): string | undefined {
  const link = value.startsWith('www.') ? `https://${value}` : value;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(link) && URL.canParse(link)
    ? new URL(link).hostname || undefined
    : undefined;
}

function isTime(value: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$|^\d\d?:\d\d(?::\d\d)?$/.test(
    value,
  );
}

function isListed(value: string, shape: unknown): boolean {
  const listed = member(shape, 'enum');
  if (Array.isArray(listed) && listed.includes(value)) return true;
  return [member(shape, 'const'), member(shape, 'default')].includes(value) || isDescribed(value, shape);
}

/** A plain word from the server's description of this argument: `open, closed or all`. */
function isDescribed(value: string, shape: unknown): boolean {
  const description = member(shape, 'description');
  if (typeof description !== 'string' || !/^\p{L}+$/u.test(value)) return false;
  return description.split(/[^\p{L}\p{N}@._-]+/u).some((word) => word.replace(/[._-]+$/, '') === value);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

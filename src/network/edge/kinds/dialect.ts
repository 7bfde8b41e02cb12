import { type Text, text } from '../../../contract/text/text.ts';
import type { RequestKind } from '../request.ts';
import { type Asked, percentDecoded } from './asked.ts';
import { isBelowHost } from './hosts.ts';

/** The requests of one protocol: a table that is read from its top until a row fits. */
export interface Dialect {
  readonly name: string;
  /** Hosts that are known to speak it: `example.com`, `*.example.com`. */
  readonly hosts: readonly string[];
  /** It belongs to strangers, too, who read the paths that they are asked for. */
  readonly isShared?: boolean;
  /** How its requests look at a host of any name; undefined: only known hosts speak it. */
  readonly shape?: (asked: Asked) => boolean;
  readonly rows: readonly Row[];
}

export interface Row {
  /**
   * Methods and path: `PUT|DELETE /{package}/owner/{name}`. `{name}` is one segment, `{name...}` one or more,
   * `{package}` also `@scope/name`; `*` is any path. After `?`, what the query must hold: `?service=git-upload-pack`.
   */
  readonly of: string;
  readonly kind: RequestKind;
  /** With values of the path in braces. */
  readonly says: Text;
  /** Further conditions, beyond the method, the path and the query. */
  readonly when?: (asked: Asked) => boolean;
  /** Details that only the body or the headers tell. */
  readonly look?: (asked: Asked, found: Found) => Look;
  /** The paths that a grant covers. Default: exactly this path and query. */
  readonly covers?: string;
  /** The body of a reading request: why it carries more than reading needs; undefined if it does not. */
  readonly body?: (asked: Asked, isKnown: boolean) => Text | undefined;
  /** Its body is read to its end, so that it is a reading one at a host of any name. */
  readonly anywhere?: boolean;
}

const rowOf =
  (kind: RequestKind) =>
  (of: string, says: Text, more: Omit<Row, 'of' | 'kind' | 'says'> = {}): Row => ({
    of,
    kind,
    says,
    ...more,
  });

/** A row of each kind, which a test has examples of. */
export const row = {
  read: rowOf('read'),
  send: rowOf('send'),
  change: rowOf('change'),
  delete: rowOf('delete'),
  publish: rowOf('publish'),
  rights: rowOf('rights'),
};

/** Parts of the path, as sent, by the name of their placeholder. */
export type Found = ReadonlyMap<string, string>;

export interface Look {
  readonly kind?: RequestKind;
  readonly says?: Text;
  readonly covers?: string;
  readonly notes?: readonly Text[];
}

/** Whether a dialect's own list names the host. */
export function speaks({ hosts }: Dialect, host: string): boolean {
  return hosts.some((entry) => isBelowHost(host, entry));
}

/** The values that the placeholders of a row stand for in this request; undefined if the row is about others. */
export function matchRow(row: Row, asked: Asked): Found | undefined {
  const { methods, path, names, parameters } = compiled(row.of);
  if (!methods.has(asked.method)) return undefined;
  const match = path.exec(asked.path);
  if (!match || !parameters.every(([name, value]) => isThere(asked, name, value))) return undefined;
  return row.when === undefined || row.when(asked)
    ? new Map(names.map((name, at) => [name, match[at + 1] ?? '']))
    : undefined;
}

/** A template with values in place of its placeholders. */
export function fill(template: string, found: Found): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => found.get(name) ?? whole);
}

export function fillText({ en, ja }: Text, found: Found): Text {
  const readable = new Map([...found].map(([name, value]) => [name, shown(percentDecoded(value) ?? value)]));
  return text(fill(en, readable), fill(ja, readable));
}

function isThere({ query }: Asked, name: string, value: string | undefined): boolean {
  const given = query.filter(([key]) => key === name);
  return given.length > 0 && (value === undefined || given.every(([, each]) => each === value));
}

/** A name from a program in the sandbox, as it may be shown to people. */
export function shown(name: string): string {
  return name.replace(/\p{C}/gu, '\ufffd').slice(0, 200);
}

interface Compiled {
  readonly methods: ReadonlySet<string>;
  readonly path: RegExp;
  readonly names: readonly string[];
  readonly parameters: readonly (readonly [string, string | undefined])[];
}

const kept = new Map<string, Compiled>();

function compiled(of: string): Compiled {
  const known = kept.get(of);
  if (known) return known;
  const [methods = '', target = ''] = of.split(' ');
  const [path = '', query = ''] = target.split('?');
  const parts = path.split(/(\{\w+(?:\.\.\.)?\})/);
  const names = parts.flatMap((part) => /^\{(\w+)/.exec(part)?.[1] ?? []);
  const made: Compiled = {
    methods: new Set(methods.split('|')),
    path: path === '*' ? /^/ : new RegExp(`^${parts.map(patternOf).join('')}$`),
    names,
    parameters:
      query === ''
        ? []
        : query.split('&').map((each) => {
            const [name = '', value] = each.split('=');
            return [name, value] as const;
          }),
  };
  kept.set(of, made);
  return made;
}

function patternOf(part: string): string {
  if (part === '{package}') return '(@[^/]+/[^/]+|[^/]+)';
  if (part.startsWith('{')) return part.endsWith('...}') ? '(.+?)' : '([^/]+?)';
  return part.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
}

import { type Text, text, verbatim } from '../../contract/text/text.ts';
import { clientOauth, leftOut } from './client-oauth.ts';
import { foreignServer } from './server-schema.ts';

/** A server of a client's file in our format, with notes on the differences. */
export interface ClientServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly notes: readonly Text[];
}

/**
 * The servers in a client's file: Claude, Cursor, Windsurf and Gemini (`mcpServers`), VS Code (`servers`, or `mcp` in
 * its settings), Zed (`context_servers`), or a list with names. Undefined if it has none of these.
 */
export function clientServers(file: unknown): readonly ClientServer[] | undefined {
  const { servers, mcpServers, context_servers: zed, mcp } = recordOf(file);
  const places = [servers, mcpServers, zed, recordOf(mcp).servers].filter((place) => place !== undefined);
  if (places.length === 0) return undefined;
  return places.flatMap(namedEntries).map(([name, value]) => translate(name, recordOf(value)));
}

/** Other names of our keys, with the same meaning or less. */
const renamed: Readonly<Record<string, string>> = {
  serverUrl: 'url',
  httpUrl: 'url',
  environment: 'env',
  includeTools: 'allow',
  enabledTools: 'allow',
  excludeTools: 'deny',
  disabledTools: 'deny',
};

/** Keys by which a client stops asking. Consent given there does not apply here. */
const consents = new Set(['alwaysAllow', 'autoApprove', 'autoApproved', 'trust', 'allowlist']);

/** Keys that do not matter here. */
const silent = new Set(['gallery', 'version', 'source', 'description', 'icon', 'inputs', 'name']);

/** A hint for a client's key in our own file: what to write instead. */
export function hintForKey(key: string): Text {
  if (consents.has(key))
    return text(
      ' Here, standing consent is given with "ask" or "tools".',
      '継続的な同意は、ここでは "ask" または "tools" で指定します。',
    );
  if (Object.hasOwn(renamed, key))
    return text(` It is called "${renamed[key]}" here.`, `ここでは "${renamed[key]}" という名前です。`);
  if (key === 'timeout')
    return text(' It is called "callTimeoutMs" here.', 'ここでは "callTimeoutMs" という名前です。');
  return verbatim('');
}

const ours: ReadonlySet<string> = new Set(Object.keys(foreignServer.shape));

function translate(name: string, given: Readonly<Record<string, unknown>>): ClientServer {
  const notes: Text[] = [];
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(flat(given))) {
    const key2 = Object.hasOwn(renamed, key) ? (renamed[key] as string) : key;
    if (consents.has(key)) {
      if (value !== false && !isEmpty(value))
        notes.push(
          text(
            `${key} is not imported: use "ask" or "tools" here`,
            `${key} は取り込みません。ここでは "ask" か "tools" で指定してください`,
          ),
        );
    } else if (key === 'oauth') {
      entry.oauth = clientOauth(value, notes);
    } else if (ours.has(key2)) {
      if (entry[key2] === undefined) entry[key2] = value;
    } else if (!silent.has(key)) notes.push(leftOut(key));
  }
  // Windows starts scripts by `cmd /c npx …`.
  const { command, args } = entry;
  if (typeof command === 'string' && /^cmd(?:\.exe)?$/i.test(command) && process.platform !== 'win32') {
    const [flag, program, ...rest] = Array.isArray(args) ? args : [];
    if (typeof flag === 'string' && /^\/c$/i.test(flag) && typeof program === 'string') {
      Object.assign(entry, { command: program, args: rest });
      notes.push(leftOut('cmd /c'));
    }
  }
  const asked = new Set<string>();
  const filled = withoutInputs(entry, asked) as Record<string, unknown>;
  for (const variable of asked) {
    notes.push(
      text(
        `the client asks for a value: set the variable ${variable}`,
        `クライアントが値を尋ねる項目です。環境変数 ${variable} を設定してください`,
      ),
    );
  }
  return { name, entry: filled, notes };
}

/** Zed has the program as an object, opencode as a list. */
function flat(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { command, ...rest } = given;
  if (Array.isArray(command)) return { ...rest, command: command[0], args: command.slice(1) };
  if (typeof command !== 'object' || command === null) return given;
  const { path, ...program } = recordOf(command);
  return { ...rest, ...program, command: path };
}

/** Converts VS Code's `${input:api-key}` to a variable, `${API_KEY}`. */
function withoutInputs(value: unknown, asked: Set<string>): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{input:([^{}]*)\}/g, (_, id: string) => {
      const variable = id
        .replace(/[^A-Za-z0-9]/g, '_')
        .replace(/^(?=\d)/, '_')
        .toUpperCase();
      asked.add(variable);
      return `\${${variable}}`;
    });
  if (Array.isArray(value)) return value.map((member) => withoutInputs(member, asked));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withoutInputs(member, asked)]),
  );
}

function namedEntries(place: unknown): [string, unknown][] {
  if (!Array.isArray(place)) return Object.entries(recordOf(place));
  return place.map((each) => [String(recordOf(each).name ?? ''), each]);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

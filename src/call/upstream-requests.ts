import type { Arrival, Call, Reply } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import type { PromptGateway, ResourceGateway, ResourcePage, ResourceText } from '../contract/gateway.ts';
import { verbatim } from '../contract/text/text.ts';

type Members = Readonly<Record<string, unknown>>;

export interface UpstreamRequests {
  readonly call: (call: Call) => Promise<Reply>;
  /** Names of the servers that offer this. */
  readonly offering: (what: 'resources' | 'prompts') => Promise<readonly string[]>;
  /** Reports changes of a server's resource, by the server's own address. */
  readonly watch: (server: string, uri: string, changed: () => void) => Promise<() => void>;
  readonly onChanged: (listener: (what: 'resources' | 'prompts') => void) => () => void;
}

const scheme = 'upstream://';

/** Our own resources first, then those of each server that the arrival may use; each request is handled as a call. */
export function joinResources(own: ResourceGateway | undefined, upstream: UpstreamRequests): ResourceGateway {
  const isOwn = (uri: string) => !uri.startsWith(scheme);

  return {
    async list(arrival, cursor, signal) {
      const at = readCursor(cursor);
      const servers = await upstream.offering('resources');
      const sources = [...(own ? [''] : []), ...servers];
      for (
        let index = Math.max(0, sources.indexOf(at.source ?? sources[0] ?? ''));
        index < sources.length;
        index++
      ) {
        const source = sources[index] ?? '';
        const inner = source === at.source ? at.cursor : undefined;
        const page =
          source === ''
            ? await own?.list(arrival, inner, signal)
            : await listOf(upstream.call, `${source}__`, inner, arrival, signal).catch(passOver);
        if (!page) continue;
        const after = sources[index + 1];
        const next = page.nextCursor === undefined ? after : source;
        const nextCursor = next === undefined ? {} : { nextCursor: writeCursor(next, page.nextCursor) };
        if (page.resources.length > 0 || next === undefined)
          return { resources: page.resources, ...nextCursor };
        if (page.nextCursor !== undefined) return { resources: [], ...nextCursor };
      }
      return { resources: [] };
    },
    async read(arrival, uri, signal) {
      if (isOwn(uri)) {
        if (own) return own.read(arrival, uri, signal);
        throw unknownResource();
      }
      const { server, input } = remoteOf(uri);
      return walk<ResourceText>(upstream.call, `${server}__resources/read`, input, arrival, signal);
    },
    async subscribe(arrival, uri, changed) {
      if (isOwn(uri)) {
        if (own) return own.subscribe(arrival, uri, changed);
        throw unknownResource();
      }
      const { server, input } = remoteOf(uri);
      await walk(
        upstream.call,
        `${server}__resources/subscribe`,
        input,
        arrival,
        new AbortController().signal,
      );
      return upstream.watch(server, input.uri, changed);
    },
    onChanged: (listener) =>
      upstream.onChanged((what) => {
        if (what === 'resources') listener();
      }),
    async templates(arrival, signal) {
      const pages = await pagesOf(upstream, 'resources', 'resources/templates/list', arrival, signal);
      return pages.flatMap((page) => (page.resourceTemplates as readonly Members[] | undefined) ?? []);
    },
  };
}

/** Prompts of all servers that the arrival may use. */
export function createPromptGateway(upstream: UpstreamRequests): PromptGateway {
  const serverOf = async (name: string): Promise<string> => {
    const server = (await upstream.offering('prompts')).find((each) => name.startsWith(`${each}__`));
    if (server === undefined)
      throw new ToolError('not_found', 'There is no such prompt.', 'そのプロンプトはありません。');
    return server;
  };
  return {
    async list(arrival, signal) {
      const pages = await pagesOf(upstream, 'prompts', 'prompts/list', arrival, signal);
      return pages.flatMap((page) => (page.prompts as readonly Members[] | undefined) ?? []);
    },
    async get(arrival, name, given, signal) {
      const input = { name, ...(given === undefined ? {} : { arguments: given }) };
      return walk(upstream.call, `${await serverOf(name)}__prompts/get`, input, arrival, signal);
    },
    async complete(arrival, params, signal) {
      const ref = params.ref as Members | undefined;
      const { name, uri } = ref ?? {};
      const server =
        typeof uri === 'string' ? remoteOf(uri).server : await serverOf(typeof name === 'string' ? name : '');
      return walk(upstream.call, `${server}__completion/complete`, params, arrival, signal);
    },
    onChanged: (listener) =>
      upstream.onChanged((what) => {
        if (what === 'prompts') listener();
      }),
  };
}

function listOf(
  call: UpstreamRequests['call'],
  server: string,
  cursor: string | undefined,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<ResourcePage> {
  return walk(call, `${server}resources/list`, cursor === undefined ? {} : { cursor }, arrival, signal);
}

/** The answers of all servers that offer this. */
async function pagesOf(
  { call, offering }: UpstreamRequests,
  what: 'resources' | 'prompts',
  method: string,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<readonly Members[]> {
  const pages = (await offering(what)).map((server) =>
    walk(call, `${server}__${method}`, {}, arrival, signal).catch(passOver),
  );
  return (await Promise.all(pages)).filter((page) => page !== undefined);
}

async function walk<Result = Members>(
  call: UpstreamRequests['call'],
  tool: string,
  input: Members,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<Result> {
  const reply = await call({ tool, input, arrival, signal, isMethod: true });
  if (reply.kind === 'output') return (reply.structured ?? {}) as Result;
  if (reply.kind === 'error') {
    const { details } = reply.structured.error as { readonly details?: Members };
    const quoted = (reply.quoted ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []));
    throw new ToolError(reply.code, verbatim([reply.text, ...quoted].join('\n')), { details });
  }
  throw new ToolError('denied', verbatim(reply.question.message));
}

/** The server of a resource address, and the address that the server itself uses. */
function remoteOf(uri: string): { readonly server: string; readonly input: { readonly uri: string } } {
  if (!uri.startsWith(scheme)) throw unknownResource();
  const rest = uri.slice(scheme.length);
  const server = rest.slice(0, Math.max(0, rest.indexOf('/')));
  return { server, input: { uri: rest.slice(server.length + 1) } };
}

/** A server that is down, or not open to this caller, must not spoil the others' lists. */
function passOver(error: unknown): undefined {
  if (error instanceof ToolError && error.code !== 'cancelled') return undefined;
  throw error;
}

function unknownResource(): ToolError {
  return new ToolError('not_found', 'There is no such resource.', 'そのリソースはありません。');
}

function readCursor(cursor: string | undefined): { readonly source?: string; readonly cursor?: string } {
  if (cursor === undefined) return {};
  try {
    const [source, inner] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof source === 'string') return { source, ...(typeof inner === 'string' && { cursor: inner }) };
  } catch {
    // Not one of our cursors.
  }
  throw new ToolError('invalid_parameter', 'The cursor is unknown.', 'カーソルが正しくありません。');
}

function writeCursor(source: string, inner: string | undefined): string {
  return Buffer.from(JSON.stringify(inner === undefined ? [source] : [source, inner])).toString('base64url');
}

/** Resources; every request is handled as a call of an unlisted tool. */
export function createResourceGateway(
  call: (call: Call) => Promise<Reply>,
  watch: (uri: string, changed: () => void) => Promise<() => void>,
): ResourceGateway {
  return {
    // The tools' own output schemas guarantee these types.
    list: (arrival, cursor, signal) => listOf(call, '', cursor, arrival, signal),
    read: (arrival, uri, signal) => walk<ResourceText>(call, 'resources/read', { uri }, arrival, signal),
    async subscribe(arrival, uri, changed) {
      await walk(call, 'resources/subscribe', { uri }, arrival, new AbortController().signal);
      return watch(uri, changed);
    },
  };
}

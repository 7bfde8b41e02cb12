import type { Arrival, Call, Reply } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import type { PromptGateway, ResourceGateway, ResourcePage } from '../contract/gateway.ts';
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
            : await listOf(upstream, source, arrival, inner, signal);
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
      // The tool's own output schema guarantees this type.
      return (await walk(
        upstream,
        `${server}__resources/read`,
        input,
        arrival,
        signal,
      )) as unknown as Awaited<ReturnType<ResourceGateway['read']>>;
    },
    async subscribe(arrival, uri, changed) {
      if (isOwn(uri)) {
        if (own) return own.subscribe(arrival, uri, changed);
        throw unknownResource();
      }
      const { server, input } = remoteOf(uri);
      await walk(upstream, `${server}__resources/subscribe`, input, arrival, new AbortController().signal);
      return upstream.watch(server, input.uri, changed);
    },
    onChanged: (listener) =>
      upstream.onChanged((what) => {
        if (what === 'resources') listener();
      }),
    async templates(arrival, signal) {
      const pages = await Promise.all(
        (await upstream.offering('resources')).map((server) =>
          walk(upstream, `${server}__resources/templates/list`, {}, arrival, signal).catch(passOver),
        ),
      );
      return pages.flatMap((page) => (page?.resourceTemplates as readonly Members[] | undefined) ?? []);
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
      const pages = await Promise.all(
        (await upstream.offering('prompts')).map((server) =>
          walk(upstream, `${server}__prompts/list`, {}, arrival, signal).catch(passOver),
        ),
      );
      return pages.flatMap((page) => (page?.prompts as readonly Members[] | undefined) ?? []);
    },
    async get(arrival, name, given, signal) {
      const input = { name, ...(given === undefined ? {} : { arguments: given }) };
      return walk(upstream, `${await serverOf(name)}__prompts/get`, input, arrival, signal);
    },
    async complete(arrival, params, signal) {
      const ref = params.ref as Members | undefined;
      const { name, uri } = ref ?? {};
      const server =
        typeof uri === 'string' ? remoteOf(uri).server : await serverOf(typeof name === 'string' ? name : '');
      return walk(upstream, `${server}__completion/complete`, params, arrival, signal);
    },
    onChanged: (listener) =>
      upstream.onChanged((what) => {
        if (what === 'prompts') listener();
      }),
  };
}

async function listOf(
  upstream: UpstreamRequests,
  server: string,
  arrival: Arrival,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ResourcePage | undefined> {
  const input = cursor === undefined ? {} : { cursor };
  const page = await walk(upstream, `${server}__resources/list`, input, arrival, signal).catch(passOver);
  return page as ResourcePage | undefined;
}

async function walk(
  { call }: UpstreamRequests,
  tool: string,
  input: Members,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<Members> {
  const reply = await call({ tool, input, arrival, signal, isMethod: true });
  if (reply.kind === 'output') return reply.structured ?? {};
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

import type { Arrival } from '../contract/call.ts';
import type { Gateway } from '../contract/gateway.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { isRecord } from '../ground/is-record.ts';
import { type Changes, changesOf } from './changes.ts';
import { interruptedResult } from './custody.ts';
import type { Exchange, Method, MethodTable } from './exchange.ts';
import { type Params, RpcError, rpcCode } from './jsonrpc.ts';
import { createCallMethod } from './methods/call.ts';
import { promptMethods, resourceMethods } from './methods/resources.ts';
import { replyFormOf } from './reply-form.ts';
import { createResultEncoder, type ResultEncoder, toolEntry } from './results.ts';
import { type ClientInfo, readClientInfo, settleRevision, statelessRevisions } from './revision.ts';

/** Server features in addition to the gateway's tools and resources: prompts, completion etc. */
export interface McpExtension {
  readonly methods: MethodTable;
  readonly capabilities: Params;
  readonly changes?: Changes | undefined;
}

/** The protocol without a transport: method names in, encoded results out. */
export type Mcp = ReturnType<typeof createMcp>;

export interface Handshake {
  readonly revision: string;
  readonly client: ClientInfo | undefined;
  readonly clientCapabilities: Params;
  readonly resultJson: string;
}

/** Methods that the newest revision removed. */
const removedMethods = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export function createMcp(gateway: Gateway, extension?: McpExtension) {
  const serverInfo = { ...gateway.info };
  const encoder = createResultEncoder(serverInfo);
  const capabilities: Params = {
    tools: { listChanged: true },
    ...(gateway.resources && {
      resources: { subscribe: true, ...(gateway.resources.onChanged && { listChanged: true }) },
    }),
    ...(gateway.prompts && { prompts: { listChanged: true }, completions: {} }),
    ...extension?.capabilities,
  };
  const instructions = gateway.instructions === '' ? {} : { instructions: gateway.instructions };
  const methods = new Map(
    Object.entries<MethodTable[string]>({
      ping: async () => ({}),
      'server/discover': async () => ({
        supportedVersions: statelessRevisions,
        capabilities,
        ...instructions,
        ttlMs: 3_600_000,
        cacheScope: 'private',
      }),
      'tools/list': createListMethod(gateway, encoder),
      'tools/call': createCallMethod(gateway),
      ...(gateway.resources && resourceMethods(gateway.resources)),
      ...(gateway.prompts && promptMethods(gateway.prompts)),
      ...extension?.methods,
    }),
  );

  return {
    gateway,
    serverInfo,
    capabilities,
    changes: changesOf(gateway, extension?.changes),

    /** The encoded result of one request. Throws only RpcError. */
    async answer(name: string, exchange: Exchange) {
      const isServed = exchange.era === 'legacy' ? name !== 'server/discover' : !removedMethods.has(name);
      const method = isServed ? methods.get(name) : undefined;
      if (!method) throw new RpcError(rpcCode.methodNotFound, 'Method not found.');
      const result = await method(exchange);
      return typeof result === 'string' ? result : encoder.encode(exchange.era, result);
    },

    /** The encoded result of a call whose server dies while it runs. */
    interrupted: (era: Exchange['era'], auditId: string, arrival: Arrival) =>
      encoder.encode(era, interruptedResult(auditId, arrival, gateway.locale)),

    /** The handshake of the older revisions. */
    shakeHands(params: Params): Handshake {
      const revision = settleRevision(params.protocolVersion);
      return {
        revision,
        client: readClientInfo(params.clientInfo),
        clientCapabilities: isRecord(params.capabilities) ? params.capabilities : {},
        resultJson: JSON.stringify({ protocolVersion: revision, capabilities, serverInfo, ...instructions }),
      };
    },
  };
}

/** Encoded lists by their tools, so that the sessions of a checkpoint, each with a gateway of its own, share them. */
const encodedLists = new WeakMap<readonly Tool[], Map<string, string>>();

/** `tools/list`. A list is encoded once in each locale, era and form. */
function createListMethod(gateway: Gateway, encoder: ResultEncoder): Method {
  return async ({ era, arrival }) => {
    const { tools } = await gateway.list(arrival);
    const form = replyFormOf(arrival);
    const encodedAs = `${era} ${form.structured} ${form.defers} ${form.plainSchemas} ${gateway.locale}`;
    const inForms = encodedLists.get(tools) ?? new Map<string, string>();
    encodedLists.set(tools, inForms);
    const known = inForms.get(encodedAs);
    if (known !== undefined) return known;
    const entries = tools.map((tool) => toolEntry(tool, gateway.locale, era, form));
    const encoded = encoder.encode(
      era,
      era === 'modern' ? { tools: entries, ttlMs: 60_000, cacheScope: 'private' } : { tools: entries },
    );
    inForms.set(encodedAs, encoded);
    return encoded;
  };
}

import type { Arrival, Call, Reply } from './call.ts';
import type { Locale } from './text/text.ts';
import type { Tool } from './tool/tool.ts';

/** The whole checkpoint as a transport sees it. */
export interface Gateway {
  readonly info: { readonly name: string; readonly version: string; readonly title: string };
  readonly instructions: string;
  readonly locale: Locale;
  /** The tools that this arrival may see. Equal lists are the same array, so that encoded ones can be kept by it. */
  list(arrival: Arrival): Promise<{ readonly tools: readonly Tool[] }>;
  call(call: Call): Promise<Reply>;
  /** An earlier server has served this connection, and what its session had read is not known. */
  resume?(connectionId: string): Promise<void>;
  /** The arrival's connection has ended, and so does its session's background work. */
  leave(arrival: Arrival): Promise<void>;
  /** Calls back when a tool list changed, for everyone or for one connection. */
  onListChanged(listener: (connectionId: string | undefined) => void): () => void;
  /** Whether this bearer token (or its absence) lets a request in at all; HTTP answers 401 by it. */
  admits(arrival: Arrival): Promise<Admission>;
  readonly resources?: ResourceGateway | undefined;
  readonly prompts?: PromptGateway | undefined;
}

export type Admission =
  | {
      readonly ok: true;
      /** The owner of the token, which is the same for their next token. */
      readonly holder?: string | undefined;
      /** Whether the token may read the metrics. `only`: it may do nothing else. Undefined: no. */
      readonly observes?: 'too' | 'only' | undefined;
      /** The admin scope that the token lacks, by its issuer's name for it. */
      readonly lacksAdmin?: string | undefined;
    }
  | { readonly ok: false; readonly reason: string; readonly problem?: string | undefined };

/** Prompts of proxied servers, checked like calls. */
export interface PromptGateway {
  list(arrival: Arrival, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
  get(
    arrival: Arrival,
    name: string,
    given: Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  complete(
    arrival: Arrival,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  onChanged(listener: () => void): () => void;
}

/** Resources (notes of the vault, those of proxied servers), checked like calls. */
export interface ResourceGateway {
  list(arrival: Arrival, cursor: string | undefined, signal: AbortSignal): Promise<ResourcePage>;
  read(arrival: Arrival, uri: string, signal: AbortSignal): Promise<ResourceContents>;
  /** Calls back when the resource changes, until the returned function is called. */
  subscribe(arrival: Arrival, uri: string, changed: () => void): Promise<() => void>;
  /** Calls back when the list itself changed; undefined if it never reports that. */
  onChanged?(listener: () => void): () => void;
  /** MCP's resource templates; undefined if there are none. */
  templates?(arrival: Arrival, signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface ResourcePage {
  readonly resources: readonly {
    readonly uri: string;
    readonly name: string;
    readonly mimeType: string;
    readonly description?: string | undefined;
  }[];
  readonly nextCursor?: string | undefined;
}

/** `more`: other contents of a proxied server under the address, such as the files of a folder. */
export type ResourceContents = (ResourceText | ResourceBlob) & {
  readonly more?: readonly (ResourceText | ResourceBlob)[] | undefined;
};

export interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** Content that is not text, in Base64. */
export interface ResourceBlob {
  readonly uri: string;
  readonly mimeType: string;
  readonly blob: string;
}

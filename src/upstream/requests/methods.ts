import type { ToolOutput } from '../../contract/call.ts';
import { ToolError } from '../../contract/error.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { verbatim } from '../../contract/text/text.ts';
import type { BaseContext, Tool } from '../../contract/tool/tool.ts';
import type { ServerSettings } from '../../contract/upstream.ts';
import { RemoteError } from '../connection/remote.ts';
import { isTooDeep } from '../tools/depth.ts';
import { shownNames } from '../tools/names.ts';
import { readBlock } from './result.ts';
import { localUri, remoteUri } from './uris.ts';

type Members = Readonly<Record<string, unknown>>;

export interface ServerRequests {
  ask(method: string, params: Members, context: BaseContext): Promise<Members>;
  /** From now on the server reports changes of this resource. */
  subscribe(uri: string, context: BaseContext): Promise<void>;
  /** A server's error as an output. */
  failed(error: RemoteError, context: BaseContext): ToolOutput;
}

/** Whether a server offers resources and prompts. */
export interface Offers {
  readonly resources: boolean;
  readonly prompts: boolean;
}

/** A server's protocol methods as unlisted tools: they are authorized, limited and recorded like its tools' calls. */
export function methodTools(
  settings: ServerSettings,
  offers: Offers,
  requests: ServerRequests,
): readonly Tool[] {
  const prompts = new Prompts(settings.name, requests);
  const runs: Readonly<Record<string, Run>> = {
    ...(offers.resources && resourceMethods(settings.name, requests)),
    ...(offers.prompts && {
      'prompts/list': async (_, context) => ({ prompts: await prompts.list(context) }),
      'prompts/get': (input, context) => prompts.get(input, context),
    }),
    ...((offers.resources || offers.prompts) && {
      'completion/complete': (input, context) => prompts.complete(input, context),
    }),
  };
  return Object.entries(runs).map(([method, run]) => methodTool(settings, method, run, requests.failed));
}

type Run = (input: Members, context: BaseContext) => Promise<Members>;

function methodTool(
  { name: server, roles, maxResultChars }: ServerSettings,
  method: string,
  run: Run,
  failed: ServerRequests['failed'],
): Tool {
  return {
    name: `${server}__${method}`,
    toolset: `server:${server}`,
    category: server,
    title: verbatim(method),
    description: verbatim(method),
    permission: 'authenticated',
    agentsOnly: false,
    unlisted: true,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    uses: [],
    inputSchema: () => ({ type: 'object' }),
    outputSchema: () => undefined,
    example: {},
    secrets: [],
    check: (input) => ({ ok: true, input: input ?? {} }),
    async run(input, context) {
      let structured: Members;
      try {
        structured = await run(input as Members, context);
      } catch (error) {
        if (error instanceof RemoteError) return failed(error, context);
        throw error;
      }
      if (isTooDeep(structured) || JSON.stringify(structured).length > 10 * maxResultChars)
        throw new ToolError(
          'too_large',
          'The answer of the server is too large.',
          'サーバーの応答が大きすぎます。',
        );
      return { structured, content: () => [] };
    },
    server,
    identity: `${server}/${method}`,
    roles,
  };
}

function resourceMethods(server: string, { ask, subscribe }: ServerRequests): Readonly<Record<string, Run>> {
  return {
    async 'resources/list'(input, context) {
      const page = await ask('resources/list', input, context);
      const listed = list(page.resources).flatMap((resource) => shownResource(server, resource));
      return { resources: listed, ...cursorOf(page) };
    },
    async 'resources/templates/list'(_, context) {
      const page = await ask('resources/templates/list', {}, context);
      const listed = list(page.resourceTemplates).flatMap((template) => shownTemplate(server, template));
      return { resourceTemplates: listed };
    },
    async 'resources/read'({ uri }, context) {
      const { contents } = await ask('resources/read', { uri }, context);
      const [first, ...more] = list(contents).flatMap((each) => shownContents(server, String(uri), each));
      if (!first) throw notFound();
      return { ...first, ...(more.length > 0 && { more }) };
    },
    async 'resources/subscribe'({ uri }, context) {
      await subscribe(String(uri), context);
      return {};
    },
  };
}

/** The prompts of a server, under names that are unique among all servers. */
class Prompts {
  readonly #server: string;
  readonly #ask: ServerRequests['ask'];
  #remoteNames: ReadonlyMap<string, string> = new Map();

  constructor(server: string, { ask }: ServerRequests) {
    this.#server = server;
    this.#ask = ask;
  }

  async list(context: BaseContext): Promise<readonly Members[]> {
    const { prompts } = await this.#ask('prompts/list', {}, context);
    const listed = list(prompts).filter((prompt) => typeof prompt.name === 'string');
    const names = listed.map((prompt) => String(prompt.name));
    const shown = shownNames(this.#server, names);
    this.#remoteNames = new Map([...shown].map(([remote, local]) => [local, remote]));
    return listed.map((prompt) => shownPrompt(prompt, shown.get(String(prompt.name)) ?? ''));
  }

  async get(input: Members, context: BaseContext): Promise<Members> {
    const name = await this.#remoteName(input.name, context);
    const given = input.arguments === undefined ? {} : { arguments: input.arguments };
    const { description, messages } = await this.#ask('prompts/get', { name, ...given }, context);
    return {
      ...shownWords({ description }),
      messages: list(messages).flatMap((message) => shownMessage(this.#server, message)),
    };
  }

  async complete(input: Members, context: BaseContext): Promise<Members> {
    const ref = input.ref as Members | undefined;
    const { name, uri } = ref ?? {};
    const theirs = {
      ...ref,
      ...(typeof name === 'string' && { name: await this.#remoteName(name, context) }),
      ...(typeof uri === 'string' && { uri: remoteUri(this.#server, uri) ?? uri }),
    };
    const { completion } = await this.#ask('completion/complete', { ...input, ref: theirs }, context);
    return { completion: shownCompletion(completion) };
  }

  async #remoteName(local: unknown, context: BaseContext): Promise<string> {
    if (!this.#remoteNames.has(String(local))) await this.list(context);
    const remote = this.#remoteNames.get(String(local));
    if (remote === undefined) throw notFound();
    return remote;
  }
}

/** The title and the description, as far as they are texts, made safe to show. */
function shownWords({ title, description }: Members): Members {
  return {
    ...(typeof title === 'string' && { title: cleanLine(title) }),
    ...(typeof description === 'string' && { description: cleanText(description) }),
  };
}

function shownResource(server: string, resource: Members): readonly Members[] {
  const { uri, name, mimeType } = resource;
  if (typeof uri !== 'string') return [];
  return [
    {
      uri: localUri(server, uri),
      name: cleanLine(`${server}: ${typeof name === 'string' ? name : uri}`),
      ...shownWords(resource),
      mimeType: typeof mimeType === 'string' ? cleanLine(mimeType) : 'application/octet-stream',
    },
  ];
}

function shownContents(
  server: string,
  asked: string,
  { uri, mimeType, text: words, blob }: Members,
): readonly Members[] {
  const about = {
    uri: localUri(server, typeof uri === 'string' ? uri : asked),
    mimeType: typeof mimeType === 'string' ? cleanLine(mimeType) : 'text/plain',
  };
  if (typeof words === 'string') return [{ ...about, text: words }];
  if (typeof blob === 'string') return [{ ...about, blob }];
  return [];
}

function shownTemplate(
  server: string,
  { uriTemplate, name, description, mimeType }: Members,
): readonly Members[] {
  if (typeof uriTemplate !== 'string') return [];
  return [
    {
      uriTemplate: localUri(server, uriTemplate),
      name: cleanLine(`${server}: ${typeof name === 'string' ? name : uriTemplate}`),
      ...shownWords({ description }),
      ...(typeof mimeType === 'string' && { mimeType: cleanLine(mimeType) }),
    },
  ];
}

function shownMessage(server: string, { role, content }: Members): readonly Members[] {
  const [block] = readBlock(content, server);
  return block === undefined ? [] : [{ role: role === 'assistant' ? 'assistant' : 'user', content: block }];
}

function shownPrompt(prompt: Members, name: string): Members {
  return {
    name,
    ...shownWords(prompt),
    ...(Array.isArray(prompt.arguments) && { arguments: list(prompt.arguments).flatMap(shownArgument) }),
  };
}

function shownArgument({ name, required, ...words }: Members): readonly Members[] {
  // The name is sent back unchanged, so one with hidden characters cannot be used.
  if (typeof name !== 'string' || cleanLine(name) !== name) return [];
  return [{ name, ...shownWords(words), ...(required === true && { required }) }];
}

const maxCompletions = 100;

function shownCompletion(completion: unknown): Members {
  const [{ values, total, hasMore } = {} as Members] = list([completion]);
  const words = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  return {
    values: words.slice(0, maxCompletions).map(cleanLine),
    ...(typeof total === 'number' && { total }),
    ...((hasMore === true || words.length > maxCompletions) && { hasMore: true }),
  };
}

function cursorOf({ nextCursor }: Members): Members {
  return typeof nextCursor === 'string' ? { nextCursor } : {};
}

function list(value: unknown): readonly Members[] {
  if (!Array.isArray(value)) return [];
  return value.filter((member): member is Members => typeof member === 'object' && member !== null);
}

function notFound(): ToolError {
  return new ToolError(
    'not_found',
    'The server has nothing with that name.',
    'サーバーにその名前のものはありません。',
  );
}

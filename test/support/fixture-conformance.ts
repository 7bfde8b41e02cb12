import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ContentBlock } from '../../src/contract/call.ts';
import { ToolError } from '../../src/contract/error.ts';
import type { ResourceBlob, ResourceGateway, ResourceText } from '../../src/contract/gateway.ts';
import { text } from '../../src/contract/text/text.ts';
import type { JsonSchema } from '../../src/contract/tool/tool-card.ts';
import { isRecord } from '../../src/ground/is-record.ts';
import type { Change, Changes } from '../../src/transport/changes.ts';
import type { Exchange, Method, MethodTable } from '../../src/transport/exchange.ts';
import type { HttpOptions, HttpService } from '../../src/transport/http/serve.ts';
import { serveHttp } from '../../src/transport/http/serve.ts';
import type { Params } from '../../src/transport/jsonrpc.ts';
import { RpcError, rpcCode } from '../../src/transport/jsonrpc.ts';
import { createCallMethod } from '../../src/transport/methods/call.ts';
import type { FixtureRun } from './fixture-gateway.ts';
import { createFixtureGateway, words } from './fixture-gateway.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

/** Serves what the conformance suite asks for by name, on the product's own HTTP layer. */
export async function serveConformance(
  options: Partial<HttpOptions> = {},
  /** Of all servers that have the same tools. */
  listeners = new Set<(change: Change) => void>(),
): Promise<{ readonly url: string; readonly service: HttpService }> {
  const changes: Changes = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const change = (what: Change['what']) => {
    for (const listener of listeners) listener({ what });
  };
  const tools = conversationTools(change);
  const placeholders = Object.fromEntries([...tools.keys()].map((name) => [name, () => words('')]));
  const gateway = {
    ...createFixtureGateway({ ...contentTools, ...placeholders }, { schemas }),
    resources,
  };
  const callTool = createCallMethod(gateway);
  const service = await serveHttp({
    ...options,
    gateway,
    host: '127.0.0.1',
    port: 0,
    extension: {
      capabilities: { prompts: { listChanged: true }, completions: {}, logging: {} },
      changes,
      methods: {
        ...promptMethods,
        'tools/call': (exchange) => (tools.get(String(exchange.params.name)) ?? callTool)(exchange),
        'resources/templates/list': async () => ({
          resourceTemplates: [
            {
              uriTemplate: 'test://template/{id}/data',
              name: 'template',
              description: 'Data by id',
              mimeType: 'application/json',
            },
          ],
          ...fresh,
        }),
        'completion/complete': async () => ({
          completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
        }),
        'logging/setLevel': async () => ({}),
      },
    },
  });
  return { url: `http://127.0.0.1:${service.address.port}/mcp`, service };
}

const fresh = { ttlMs: 0, cacheScope: 'private' };

const contentTools: Record<string, FixtureRun> = {
  test_simple_text: () => words('This is a simple text response for testing.'),
  test_image_content: () => content({ type: 'image', data: png, mimeType: 'image/png' }),
  test_audio_content: () => content({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    content({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  test_multiple_content_types: () =>
    content(
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ),
  test_error_handling: () => ({
    kind: 'error',
    code: 'conflict',
    text: 'This tool intentionally returns an error for testing',
    structured: { error: { code: 'conflict' } },
  }),
  test_tool_with_progress: async (_input, call) => {
    for (const done of [0, 50, 100]) {
      call.progress?.(done, 100);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return words('Done.');
  },
  json_schema_2020_12_tool: () => words('Valid.'),
};

const schemas: Record<string, JsonSchema> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

/** Tools that talk with the client while they run, in the words of either era. */
function conversationTools(change: (what: Change['what']) => void): Map<string, Method> {
  const name = elicitation('What is your name?', { name: { type: 'string' } });
  const sampling = (prompt: string, maxTokens = 100) => ({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
  });
  const roots = { method: 'roots/list', params: {} };
  const said = (answers: Params, key: string) => `Received ${JSON.stringify(answers[key])}.`;

  return new Map<string, Method>(
    Object.entries<Method>({
      test_tool_with_logging: async (exchange) => {
        for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
          exchange.notify('notifications/message', { level: 'info', data });
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return say('Logged.');
      },
      test_logging_tool: async () => say('Nothing logged.'),
      test_sampling: async (exchange) => {
        const { method, params } = sampling(String(argument(exchange, 'prompt')));
        const result = await asked(exchange, method, params);
        const answer = isRecord(result) && isRecord(result.content) ? result.content.text : '';
        return say(`LLM response: ${answer}`);
      },
      test_elicitation: (exchange) =>
        completed(exchange, 'User response', {
          ...elicitation(String(argument(exchange, 'message')), {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          }).params,
        }),
      test_elicitation_sep1034_defaults: (exchange) =>
        completed(exchange, 'Elicitation completed', elicitation('Defaults', defaults).params),
      test_elicitation_sep1330_enums: (exchange) =>
        completed(exchange, 'Elicitation completed', elicitation('Choices', choices, []).params),
      test_missing_capability: async (exchange) => {
        if (exchange.clientCapabilities.sampling) return say('Sampled.');
        throw new RpcError(rpcCode.missingCapability, 'The client must declare sampling.', {
          requiredCapabilities: { sampling: {} },
        });
      },
      test_streaming_elicitation: async () => ask({ user_name: name }),
      test_trigger_tool_change: async () => {
        change('tools');
        return say('Changed.');
      },
      test_trigger_prompt_change: async () => {
        change('prompts');
        return say('Changed.');
      },
      test_input_required_result_elicitation: async (exchange) => {
        const answer = answers(exchange).user_name;
        const given = isRecord(answer) && isRecord(answer.content) ? answer.content.name : undefined;
        return typeof given === 'string' ? say(`Hello, ${given}!`) : ask({ user_name: name });
      },
      test_input_required_result_sampling: async (exchange) => {
        const given = answers(exchange);
        return given.capital_question
          ? say(said(given, 'capital_question'))
          : ask({ capital_question: sampling('What is the capital of France?') });
      },
      test_input_required_result_list_roots: async (exchange) => {
        const given = answers(exchange);
        return given.client_roots ? say(said(given, 'client_roots')) : ask({ client_roots: roots });
      },
      test_input_required_result_request_state: async (exchange) => {
        if (!answers(exchange).confirm) {
          const confirm = elicitation('Please confirm', { ok: { type: 'boolean' } });
          return ask({ confirm }, sign('confirm'));
        }
        assertSigned(exchange, 'confirm');
        return say('state-ok');
      },
      test_input_required_result_tampered_state: async (exchange) => {
        if (exchange.params.requestState === undefined) {
          return ask({ confirm: elicitation('Please confirm', { ok: { type: 'boolean' } }) }, sign('tamper'));
        }
        assertSigned(exchange, 'tamper');
        return say('state-ok');
      },
      test_input_required_result_multiple_inputs: async (exchange) => {
        const given = answers(exchange);
        if (given.user_name && given.greeting && given.client_roots) {
          assertSigned(exchange, 'many');
          return say(said(given, 'user_name'));
        }
        const inputs = {
          user_name: name,
          greeting: sampling('Generate a greeting', 50),
          client_roots: roots,
        };
        return ask(inputs, sign('many'));
      },
      test_input_required_result_multi_round: async (exchange) => {
        const given = answers(exchange);
        if (given.step2) {
          assertSigned(exchange, 'round 2');
          return say('Both steps done.');
        }
        if (given.step1) {
          assertSigned(exchange, 'round 1');
          const step2 = elicitation('Step 2: What is your favorite color?', { color: { type: 'string' } });
          return ask({ step2 }, sign('round 2'));
        }
        const step1 = elicitation('Step 1: What is your name?', { name: { type: 'string' } });
        return ask({ step1 }, sign('round 1'));
      },
      test_input_required_result_capabilities: async ({ clientCapabilities }) =>
        ask({
          ...(clientCapabilities.elicitation !== undefined && { user_name: name }),
          ...(clientCapabilities.sampling !== undefined && { greeting: sampling('Generate a greeting') }),
          ...(clientCapabilities.roots !== undefined && { client_roots: roots }),
        }),
    }),
  );
}

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const titled = (what: string) =>
  ['First', 'Second', 'Third'].map((title, n) => ({ const: `value${n + 1}`, title: `${title} ${what}` }));
const options = ['option1', 'option2', 'option3'];
const choices = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

const promptMethods: MethodTable = {
  'prompts/list': async () => ({ prompts: promptList, ...fresh }),
  'prompts/get': async (exchange) => {
    const given = isRecord(exchange.params.arguments) ? exchange.params.arguments : {};
    const user = (block: object) => ({ role: 'user', content: block });
    const line = (words: string) => user({ type: 'text', text: words });
    switch (exchange.params.name) {
      case 'test_simple_prompt':
        return { messages: [line('This is a simple prompt for testing.')] };
      case 'test_prompt_with_arguments':
        return { messages: [line(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`)] };
      case 'test_prompt_with_embedded_resource': {
        const resource = {
          uri: given.resourceUri,
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        };
        return {
          messages: [
            user({ type: 'resource', resource }),
            line('Please process the embedded resource above.'),
          ],
        };
      }
      case 'test_prompt_with_image':
        return {
          messages: [
            user({ type: 'image', data: png, mimeType: 'image/png' }),
            line('Please analyze the image above.'),
          ],
        };
      case 'test_input_required_result_prompt':
        return answers(exchange).user_context
          ? { messages: [line('The context was given.')] }
          : ask({
              user_context: elicitation('What context should the prompt use?', {
                context: { type: 'string' },
              }),
            });
      default:
        throw new RpcError(rpcCode.invalidParams, 'There is no such prompt.');
    }
  },
};

const required = (...names: string[]) =>
  names.map((name) => ({ name, description: `The ${name}`, required: true }));
const promptList = [
  { name: 'test_simple_prompt', description: 'A prompt without arguments' },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: required('arg1', 'arg2'),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource',
    arguments: required('resourceUri'),
  },
  { name: 'test_prompt_with_image', description: 'A prompt with an image' },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks first' },
];

const resources: ResourceGateway = {
  list: async () => ({
    resources: ['static-text', 'static-binary', 'watched-resource'].map((name) => ({
      uri: `test://${name}`,
      name,
      description: `The resource ${name}`,
      mimeType: name === 'static-binary' ? 'image/png' : 'text/plain',
    })),
  }),
  read: async (_arrival, uri) => resourceAt(uri),
  subscribe: async () => () => {},
};

function resourceAt(uri: string): ResourceText | ResourceBlob {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png };
  if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'Watched.' };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ToolError('not_found', text('Resource not found', 'ありません'));
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

const key = 'a key of the fixture';

function sign(state: string): string {
  return `${state}.${createHmac('sha256', key).update(state).digest('hex')}`;
}

function assertSigned({ params }: Exchange, state: string): void {
  const given = Buffer.from(String(params.requestState));
  const expected = Buffer.from(sign(state));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new RpcError(rpcCode.invalidParams, 'requestState was changed.');
}

function say(words: string): Params {
  return { content: [{ type: 'text', text: words }] };
}

function content(...blocks: ContentBlock[]): Awaited<ReturnType<FixtureRun>> {
  return { kind: 'output', content: blocks };
}

function ask(inputRequests: Params, requestState?: string): Params {
  return { resultType: 'input_required', inputRequests, ...(requestState && { requestState }) };
}

function answers({ params }: Exchange): Params {
  return isRecord(params.inputResponses) ? params.inputResponses : {};
}

function argument({ params }: Exchange, name: string): unknown {
  return isRecord(params.arguments) ? params.arguments[name] : undefined;
}

function elicitation(
  message: string,
  properties: object,
  needed: readonly string[] = Object.keys(properties),
): { readonly method: string; readonly params: Params } {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required: needed } },
  };
}

async function asked(exchange: Exchange, method: string, params: Params): Promise<unknown> {
  if (!exchange.ask) throw new RpcError(rpcCode.missingCapability, 'The client cannot be asked.');
  return exchange.ask(method, params);
}

async function completed(exchange: Exchange, lead: string, params: Params): Promise<Params> {
  const result = await asked(exchange, 'elicitation/create', params);
  const { action, content: given } = isRecord(result) ? result : {};
  return say(`${lead}: action=${String(action)}, content=${JSON.stringify(given)}`);
}

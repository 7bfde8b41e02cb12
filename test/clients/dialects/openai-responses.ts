import { type Dialect, events, type Json, json, type OfferedTool, textOf } from './dialect.ts';

/** OpenAI's Responses API, with its namespaces of tools. */
export const openaiResponses: Dialect = {
  name: 'openai-responses',
  speaks: (path) => path.endsWith('/responses'),
  read: (body) => ({
    // What a search has found stands among the messages.
    tools: [
      ...(body.tools ?? []),
      ...(body.input ?? []).flatMap((item: Json) => (item.type === 'tool_search_output' ? item.tools : [])),
    ].flatMap(offered),
    results: (body.input ?? [])
      .filter((item: Json) => item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
      .map((item: Json) => textOf(item.output)),
  }),
  write(say, body) {
    const [space, name] =
      'tool' in say ? (say.tool.split(' ').length === 2 ? say.tool.split(' ') : [undefined, say.tool]) : [];
    const item =
      'tool' in say && say.tool === 'tool_search'
        ? {
            type: 'tool_search_call',
            id: 'tsc_1',
            call_id: `call_${Date.now()}`,
            execution: 'client',
            arguments: say.input,
            status: 'completed',
          }
        : 'tool' in say && isFreeForm(body, say.tool)
          ? {
              type: 'custom_tool_call',
              id: 'ctc_1',
              call_id: `call_${Date.now()}`,
              name,
              input: String(say.input.input),
              status: 'completed',
            }
          : 'tool' in say
            ? {
                type: 'function_call',
                id: 'fc_1',
                call_id: `call_${Date.now()}`,
                name,
                ...(space === undefined ? {} : { namespace: space }),
                arguments: JSON.stringify(say.input),
                status: 'completed',
              }
            : {
                type: 'message',
                id: 'msg_1',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: say.text, annotations: [] }],
              };
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    };
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: String(body.model), usage };
    const done = { ...response, status: 'completed', output: [item] };
    if (body.stream !== true) return json(done);
    return {
      type: 'text/event-stream',
      body: events(
        [
          { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
          { type: 'response.output_item.added', output_index: 0, item },
          { type: 'response.output_item.done', output_index: 0, item },
          { type: 'response.completed', response: done },
        ],
        true,
      ),
    };
  },
};

/** A tool of a namespace is known by both names; a space keeps them apart, since neither has one. */
/** Such a tool takes a text in place of JSON. */
function isFreeForm(body: Json, name: string): boolean {
  return (body.tools ?? []).some((tool: Json) => tool.type === 'custom' && tool.name === name);
}

function offered(tool: Json): OfferedTool[] {
  if (tool.type !== 'namespace')
    return [{ name: String(tool.name ?? tool.type), json: JSON.stringify(tool) }];
  return tool.tools.map((each: Json) => ({ name: `${tool.name} ${each.name}`, json: JSON.stringify(each) }));
}

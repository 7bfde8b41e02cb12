import { type Dialect, events, type Json, json, textOf } from './dialect.ts';

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  name: 'anthropic',
  speaks: (path) => path.endsWith('/messages'),
  read: (body) => ({
    tools: (body.tools ?? []).map((tool: Json) => ({ name: String(tool.name), json: JSON.stringify(tool) })),
    results: (body.messages ?? [])
      .flatMap((message: Json) => (Array.isArray(message.content) ? message.content : []))
      .filter((part: Json) => part.type === 'tool_result')
      .map((part: Json) => textOf(part.content)),
  }),
  write(say, body) {
    const isCall = 'tool' in say;
    const block = isCall
      ? { type: 'tool_use', id: `toolu_${Date.now()}`, name: say.tool, input: say.input }
      : { type: 'text', text: say.text };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: String(body.model),
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    };
    const stop = isCall ? 'tool_use' : 'end_turn';
    if (body.stream !== true) return json({ ...message, content: [block], stop_reason: stop });
    const start = isCall ? { ...block, input: {} } : { type: 'text', text: '' };
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify(say.input) }
      : { type: 'text_delta', text: say.text };
    return {
      type: 'text/event-stream',
      body: events(
        [
          { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
          { type: 'content_block_start', index: 0, content_block: start },
          { type: 'content_block_delta', index: 0, delta },
          { type: 'content_block_stop', index: 0 },
          {
            type: 'message_delta',
            delta: { stop_reason: stop, stop_sequence: null },
            usage: { output_tokens: 10 },
          },
          { type: 'message_stop' },
        ],
        true,
      ),
    };
  },
};

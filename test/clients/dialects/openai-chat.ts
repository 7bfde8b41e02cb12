import { type Dialect, events, type Json, json, textOf } from './dialect.ts';

/** OpenAI's Chat Completions, which many other providers speak too. */
export const openaiChat: Dialect = {
  name: 'openai-chat',
  speaks: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    tools: (body.tools ?? []).map((tool: Json) => ({
      name: String(tool.function?.name),
      json: JSON.stringify(tool),
    })),
    results: (body.messages ?? [])
      .filter((message: Json) => message.role === 'tool')
      .map((message: Json) => textOf(message.content)),
  }),
  write(say, body) {
    const isCall = 'tool' in say;
    const message = isCall
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              index: 0,
              id: `call_${Date.now()}`,
              type: 'function',
              function: { name: say.tool, arguments: JSON.stringify(say.input) },
            },
          ],
        }
      : { role: 'assistant', content: say.text };
    const finish = isCall ? 'tool_calls' : 'stop';
    const base = { id: 'chatcmpl-1', created: 1, model: String(body.model) };
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    if (body.stream !== true) {
      const choices = [{ index: 0, message, finish_reason: finish }];
      return json({ ...base, object: 'chat.completion', choices, usage });
    }
    const chunk = (delta: object, reason: string | null) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    return {
      type: 'text/event-stream',
      body: events([chunk(message, null), { ...chunk({}, finish), usage }, '[DONE]']),
    };
  },
};

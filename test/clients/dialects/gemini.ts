import { type Dialect, events, type Json, json, textOf } from './dialect.ts';

/** Google's generateContent. */
export const gemini: Dialect = {
  name: 'gemini',
  speaks: (path) => /:(?:stream)?generateContent$/i.test(path),
  read: (body) => ({
    tools: (body.tools ?? [])
      .flatMap((group: Json) => group.functionDeclarations ?? [])
      .map((tool: Json) => ({ name: String(tool.name), json: JSON.stringify(tool) })),
    results: (body.contents ?? [])
      .flatMap((content: Json) => content.parts ?? [])
      .filter((part: Json) => part.functionResponse)
      .map(({ functionResponse: { response } }: Json) =>
        textOf(response?.output ?? response?.error ?? response),
      ),
  }),
  write(say, _body, path) {
    const part = 'tool' in say ? { functionCall: { name: say.tool, args: say.input } } : { text: say.text };
    const whole = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: 'scripted',
    };
    return path.includes('stream') ? { type: 'text/event-stream', body: events([whole]) } : json(whole);
  },
};

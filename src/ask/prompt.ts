import { orElse } from '../ground/or-else.ts';
import type { Message } from './transcript.ts';

type Provider = ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>;
type Prompt = Parameters<ReturnType<Provider['chatModel']>['doStream']>[0]['prompt'];

/** The conversation for the AI SDK's provider. */
export function promptOf(instructions: string, messages: readonly Message[]): Prompt {
  // Thoughts are sent back while the model works on a question, and dropped once it is answered.
  const question = messages.findLastIndex((message) => message.role === 'user');
  return [
    { role: 'system', content: instructions },
    ...messages.map((message, index) => entryOf(message, index > question)),
  ];
}

function entryOf(message: Message, withReasoning: boolean): Prompt[number] {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(withReasoning && message.reasoning
            ? [{ type: 'reasoning' as const, text: message.reasoning }]
            : []),
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.calls.map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.callId,
            toolName: namedSafely(call.tool),
            input: argumentsOf(call.words) ?? {},
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.callId,
            toolName: namedSafely(message.tool),
            output: { type: 'text', value: message.text },
          },
        ],
      };
  }
}

/** Servers refuse the whole conversation for one invalid name, even if the model invented it. */
function namedSafely(tool: string): string {
  return tool.replace(/[^\w-]/g, '_').slice(0, 64) || '_';
}

/** A call's arguments; undefined unless one JSON object or empty, since servers refuse conversations with others. */
export function argumentsOf(words: string): Readonly<Record<string, unknown>> | undefined {
  if (words.trim() === '') return {};
  return orElse(() => {
    const value: unknown = JSON.parse(words);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  }, undefined);
}

import { ToolError } from '../contract/error.ts';
import type { Gateway } from '../contract/gateway.ts';
import { text } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { counted } from '../ground/counted.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { orElse } from '../ground/or-else.ts';
import { type CarryOutOptions, carryOut } from './carry-out.ts';
import { createContext } from './context.ts';
import { type AskEvent, type EndReason, errorEvent } from './model/events.ts';
import type { Answer, Model } from './model/model.ts';
import { createOffers, type Offers } from './offers.ts';
import { argumentsOf } from './prompt.ts';
import type { Message, ModelCall } from './transcript.ts';

export interface AskOptions extends Omit<CarryOutOptions, 'tool' | 'onProgress'> {
  readonly gateway: Pick<Gateway, 'list' | 'call' | 'locale'>;
  readonly model: Model;
  readonly instructions: string;
  readonly maxRounds: number;
  onEvent(event: AskEvent): void;
  /** Reduces a failure to what the person may see. Default: all of it. */
  readonly tell?: ((error: ToolError) => ToolError) | undefined;
}

export interface Asked {
  readonly reason: EndReason;
  /** The conversation with this question, its calls and the answer: complete, however it ended. */
  readonly messages: readonly Message[];
  readonly error?: ToolError | undefined;
}

/**
 * Puts a question to a model and runs its calls until it answers. Results and errors go back to it, so that it can
 * correct them. Never throws for errors of a model or tool.
 */
export async function ask(question: string, before: readonly Message[], options: AskOptions): Promise<Asked> {
  const messages: Message[] = [...before, { role: 'user', text: question }];
  const { tools } = await options.gateway.list(options.arrival);
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const offers = createOffers(tools, options.gateway.locale);
  const offered = new Set(offers.list.map((offer) => offer.name));
  const spent = { rounds: 0, input: 0, output: 0 };
  const context = createContext(options.model.endpoint.contextChars, options.onEvent);
  const tell = options.tell ?? ((error: ToolError) => error);

  function end(reason: EndReason, failure?: ToolError): Asked {
    const error = failure && tell(failure);
    if (error) options.onEvent(errorEvent(error, options.gateway.locale));
    options.onEvent({
      type: 'end',
      reason,
      rounds: spent.rounds,
      ...(spent.input + spent.output > 0 && { input_tokens: spent.input, output_tokens: spent.output }),
    });
    return { reason, messages, error };
  }

  while (spent.rounds < options.maxRounds) {
    spent.rounds += 1;
    options.onEvent({ type: 'round', round: spent.rounds });
    let streamed = '';
    let answer: Answer;
    try {
      answer = await context.answer(messages, (sent) =>
        options.model.answer({
          instructions: options.instructions,
          messages: sent,
          tools: offers.list,
          signal: options.signal,
          onText(words) {
            streamed += words;
            options.onEvent({ type: 'text', text: words });
          },
          onReasoning: (words) => options.onEvent({ type: 'reasoning', text: words }),
          onRetry: (attempt, waitMs, reason) =>
            options.onEvent({
              type: 'retry',
              attempt,
              wait_ms: waitMs,
              reason: tell(reason).text[options.gateway.locale],
            }),
        }),
      );
    } catch (thrown) {
      if (!(thrown instanceof ToolError)) throw thrown;
      messages.push({ role: 'assistant', text: streamed === '' ? '…' : `${streamed} …`, calls: [] });
      return end(thrown.code === 'cancelled' ? 'cancelled' : 'failed', thrown);
    }
    spent.input += answer.inputTokens ?? 0;
    spent.output += answer.outputTokens ?? 0;
    const isEmpty = answer.text.trim() === '' && answer.calls.length === 0;
    messages.push({
      role: 'assistant',
      text: isEmpty ? '…' : answer.text,
      ...(answer.reasoning !== '' && { reasoning: answer.reasoning }),
      calls: answer.calls.map((call) => withoutSecrets(call, known.get(offers.nameOf(call.tool)))),
    });
    if (answer.calls.length === 0) {
      if (answer.cut) return end('length', cutShort());
      if (answer.filtered) return end('failed', filtered());
      const written = writtenCall(isEmpty ? answer.reasoning : answer.text, offered);
      if (written !== undefined) return end('failed', calledInWords(written));
      return isEmpty ? end('failed', saidNothing()) : end('answered');
    }
    messages.push(...(await carryOutAll(answer.calls, known, offers, options)));
    if (options.signal.aborted) return end('cancelled', cancelled('answer'));
  }
  return end('rounds', roundsUsedUp(options.maxRounds));
}

/** Runs calls together if they only read; if one changes something, in sequence. */
async function carryOutAll(
  calls: readonly ModelCall[],
  known: ReadonlyMap<string, Tool>,
  offers: Offers,
  options: AskOptions,
): Promise<readonly Message[]> {
  const onlyReads = calls.every((call) => known.get(offers.nameOf(call.tool))?.annotations.readOnly);
  const run = async (call: ModelCall): Promise<Message> => {
    const tool = offers.nameOf(call.tool);
    options.onEvent({
      type: 'call',
      call_id: call.callId,
      tool,
      arguments: shownArguments(call, known.get(tool)),
    });
    const outcome = await carryOut(call, {
      ...options,
      tool,
      onProgress: (message) => options.onEvent({ type: 'progress', call_id: call.callId, message }),
    });
    options.onEvent({
      type: 'result',
      call_id: call.callId,
      tool,
      ok: outcome.ok,
      ...(outcome.code !== undefined && { code: outcome.code }),
      ...(outcome.approvalId !== undefined && { approval_id: outcome.approvalId }),
      text: outcome.text,
      duration_ms: outcome.durationMs,
    });
    return { role: 'tool', callId: call.callId, tool: call.tool, text: outcome.text };
  };
  if (onlyReads) return Promise.all(calls.map(run));
  const results: Message[] = [];
  for (const call of calls) results.push(await run(call));
  return results;
}

/** The call for storage: secret arguments are used once and never stored. */
function withoutSecrets(call: ModelCall, tool: Tool | undefined): ModelCall {
  if (!tool || tool.secrets.length === 0) return call;
  return { ...call, words: JSON.stringify(shownArguments(call, tool)) };
}

function shownArguments(call: ModelCall, tool: Tool | undefined): unknown {
  const input = argumentsOf(call.words);
  if (input === undefined) return call.words;
  const secrets = new Set(tool?.secrets);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, secrets.has(name) ? '[secret]' : value]),
  );
}

function cutShort(): ToolError {
  return new ToolError(
    'too_large',
    "The model's answer was cut off at the model's length limit.",
    'モデルの回答が、モデルの長さの上限で途切れました。',
    text('Ask it to continue, or ask for less.', '続けるよう頼むか、範囲を狭めてください。'),
  );
}

function filtered(): ToolError {
  return new ToolError(
    'upstream_error',
    "The model's server filtered the answer.",
    'モデルのサーバーのフィルターが回答を打ち切りました。',
    text('Rephrase the question, or use another model.', '言い換えるか、別のモデルに尋ねてください。'),
  );
}

function calledInWords(tool: string): ToolError {
  return new ToolError(
    'upstream_error',
    `The model wrote a call of ${tool} as text, and nothing was called: its server does not read the tool calls of this model.`,
    `モデルが ${tool} の呼び出しを文章として書いたため、何も呼び出されていません。サーバーがこのモデルのツール呼び出しを解釈していません。`,
    text(
      'Start the server with its tool parser: vLLM --enable-auto-tool-choice --tool-call-parser NAME, SGLang --tool-call-parser NAME, llama-server --jinja. Or use another model.',
      'サーバーをツールのパーサー付きで起動してください: vLLM は --enable-auto-tool-choice --tool-call-parser 名前、SGLang は --tool-call-parser 名前、llama-server は --jinja。または別のモデルを使ってください。',
    ),
  );
}

function saidNothing(): ToolError {
  return new ToolError(
    'upstream_error',
    'The model stopped without an answer.',
    'モデルは回答せずに終了しました。',
    text('Try again, or use another model.', 'もう一度尋ねるか、別のモデルに尋ねてください。'),
  );
}

function roundsUsedUp(maxRounds: number): ToolError {
  return new ToolError(
    'too_large',
    `The limit of ${counted(maxRounds, 'round')} is used up, and the model has not finished.`,
    `${maxRounds} 回の往復の上限に達しましたが、モデルの処理が終わっていません。`,
    text(
      'Ask it to continue, or ask for less. ask.maxRounds in the configuration sets the limit.',
      '続けるよう頼むか、範囲を狭めてください。上限は設定の ask.maxRounds です。',
    ),
  );
}

/**
 * The tool that an answer calls in its text: a server started without a parser for its model's calls passes them on as
 * text. A call in a code block beside other text is an example.
 */
function writtenCall(answer: string, tools: ReadonlySet<string>): string | undefined {
  const words = answer.trim().replace(/^```\w*\n(.*?)\n?```$/s, '$1');
  return calledAsJson(words, tools) ?? calledByMark(words, tools);
}

/** How Hermes and Qwen, Kimi, DeepSeek, Mistral, Llama, MiniMax and gpt-oss begin a call. */
const marks =
  /<tool_calls?>|<function=|<function_calls?>|<invoke name=|<\|tool_calls?(?:_section)?_begin\|>|<[|｜](?:tool▁calls?▁begin|DSML)[|｜]|\[TOOL_CALLS\]|<\|python_tag\|>|<\|channel\|>commentary to=/g;

/** The most characters between the mark and the name. */
const nameChars = 200;

function calledByMark(words: string, tools: ReadonlySet<string>): string | undefined {
  const prose = words.replace(/```.*?(?:```|$)|`[^`\n]*`/gs, '');
  for (const mark of prose.matchAll(marks)) {
    const behind = prose.slice(mark.index + mark[0].length, mark.index + mark[0].length + nameChars);
    const name = behind.match(/[\w-]+/g)?.find((word) => tools.has(word));
    if (name !== undefined) return name;
  }
  return undefined;
}

function calledAsJson(words: string, tools: ReadonlySet<string>): string | undefined {
  if (!/^[[{]/.test(words)) return undefined;
  return orElse(() => {
    const parsed: unknown = JSON.parse(words);
    const call: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    const { name, arguments: input, parameters } = Object(call) as Readonly<Record<string, unknown>>;
    return typeof name === 'string' && tools.has(name) && (input ?? parameters) !== undefined
      ? name
      : undefined;
  }, undefined);
}

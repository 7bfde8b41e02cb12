import { isRecord } from '../../ground/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Converts a chunk of a stream to the AI SDK's format from any server's variant: arguments as an object, unknown roles,
 * `message` instead of `delta`, other forms of errors. Drops what the SDK does not need. `indexOf` numbers calls that
 * have an id but no index.
 */
export function chunkOf(sent: unknown, indexOf: (id: string) => number | undefined): Fields {
  const { choices, usage, error } = Object(sent) as Fields;
  const problem = problemOf(sent);
  if (problem !== undefined && (error !== undefined || !Array.isArray(choices))) {
    return { error: { message: problem } };
  }
  return {
    choices: Array.isArray(choices)
      ? choices.filter(isRecord).map((choice) => choiceOf(choice, indexOf))
      : [],
    ...(isRecord(usage) && { usage: countsOf(usage) }),
  };
}

type IndexOf = Parameters<typeof chunkOf>[1];

function choiceOf(choice: Fields, indexOf: IndexOf): Fields {
  const { delta, message, finish_reason: finish } = choice;
  const part = isRecord(delta) ? delta : isRecord(message) ? message : undefined;
  return {
    ...(part && { delta: deltaOf(part, indexOf) }),
    ...(typeof finish === 'string' && finish !== '' && { finish_reason: finish }),
  };
}

function deltaOf(delta: Fields, indexOf: IndexOf): Fields {
  const { content, refusal, tool_calls: calls } = delta;
  const reasoning = [delta.reasoning_content, delta.reasoning, delta.thinking].find(
    (words) => typeof words === 'string' && words !== '',
  );
  return {
    ...((typeof content === 'string' || Array.isArray(content)) && { content }),
    ...(typeof refusal === 'string' && { refusal }),
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(Array.isArray(calls) && { tool_calls: calls.filter(isRecord).map((call) => callOf(call, indexOf)) }),
  };
}

function callOf(call: Fields, indexOf: IndexOf): Fields {
  const { name, arguments: input } = Object(call.function) as Fields;
  const id = call.id === undefined || call.id === null || call.id === '' ? undefined : String(call.id);
  const index = typeof call.index === 'number' ? call.index : id && indexOf(id);
  return {
    ...(typeof index === 'number' && { index }),
    ...(id !== undefined && { id }),
    function: {
      ...(typeof name === 'string' && { name }),
      ...(input !== undefined &&
        input !== null && { arguments: typeof input === 'string' ? input : JSON.stringify(input) }),
    },
  };
}

/** Token counts; other values than numbers are dropped. */
function countsOf({ prompt_tokens: input, completion_tokens: output }: Fields): Fields {
  return {
    ...(typeof input === 'number' && { prompt_tokens: input }),
    ...(typeof output === 'number' && { completion_tokens: output }),
  };
}

/** A server's error message, in any of the usual formats. */
export function problemOf(sent: unknown): string | undefined {
  const { error, message, detail, object } = Object(sent) as Fields;
  if (error !== undefined && error !== null) {
    const said: unknown = isRecord(error) ? (error.message ?? error.code) : error;
    return typeof said === 'string' ? said : JSON.stringify(error);
  }
  const said = message ?? detail;
  if (said === undefined && object !== 'error') return undefined;
  return typeof said === 'string' ? said : JSON.stringify(said ?? sent);
}

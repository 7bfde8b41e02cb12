/**
 * The tool that an answer calls in its text: a server started without a parser for its model's calls passes them on as
 * text. A call in a code block beside other text is an example.
 */
export function writtenCall(answer: string, tools: ReadonlySet<string>): string | undefined {
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
  try {
    const parsed: unknown = JSON.parse(words);
    const call: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    const { name, arguments: input, parameters } = Object(call) as Readonly<Record<string, unknown>>;
    return typeof name === 'string' && tools.has(name) && (input ?? parameters) !== undefined
      ? name
      : undefined;
  } catch {
    return undefined;
  }
}

import type { SyntaxNode } from 'unbash';
import { isPlainText } from './print/quote.ts';
import { readCommand } from './syntax/read-command.ts';
import type { Pipe } from './syntax/walk.ts';
import { literalWord, type Word } from './words/word.ts';

/** What a command prints into the pipe that another reads, where its words say all of it; and the name that prints it. */
export interface PipedText {
  readonly text: Word;
  readonly by: string;
}

/**
 * What a shell reads as its input, in braces: so it reads all of it before the first command runs, which else could
 * read some of it and leave the rest to mean another thing. Nothing where there is nothing to run.
 */
export function inBraces(text: string): string | undefined {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line)) ? undefined : `{ ${text}\n}`;
}

type Command = SyntaxNode & { readonly type: 'Command' };

/** The whole input of a command that stands at the end of this pipe by itself, with nothing else to read it first. */
export function pipedText(pipe: Pipe | undefined): PipedText | undefined {
  const { commands, operators } = pipe?.pipeline ?? { commands: [], operators: [] };
  const stage = pipe?.stage ?? 0;
  const [writer, reader] = [commands[stage - 1], commands[stage]];
  if (writer?.type !== 'Command' || reader?.type !== 'Command' || operators[stage - 1] !== '|')
    return undefined;
  return isStatic(reader) ? printed(writer) : undefined;
}

/** Nothing runs, or reads, before the command itself does. */
function isStatic({ prefix, suffix, redirects }: Command): boolean {
  return (
    prefix.length === 0 &&
    suffix.every((part) => part.type === 'Redirect' || (part.type === 'Word' && isPlainText(part.text))) &&
    redirects.every(
      (one) =>
        one.type === 'Redirect' &&
        /^(>>?|>&|&>>?)$/.test(one.operator) &&
        isPlainText(one.target?.text ?? ''),
    )
  );
}

/** `echo TEXT`, `printf '%s\n' LINE …`, `cat` with a here-document. */
function printed(node: Command): PipedText | undefined {
  if (node.prefix.length > 0) return undefined;
  const { words, texts, files } = readCommand(node);
  const [name, ...args] = words;
  const by = name?.value ?? '';
  if (by === 'cat' && args.length === 0 && node.redirects.length === 1 && texts[0] && files.length === 0)
    return { text: texts[0], by };
  const [first, ...more] = args;
  // Where it begins with a dash it may be an option, and a backslash may be read once more.
  if (node.redirects.length > 0 || !first || first.prefix.startsWith('-')) return undefined;
  if (args.some(({ value }) => value === undefined)) return undefined;
  if (by === 'echo' && args.every(({ value }) => !value?.includes('\\')))
    return { text: more.length === 0 ? first : joined(args, ' '), by };
  if (by === 'printf' && /^%s(\\n)?$/.test(first.value ?? ''))
    return {
      text: more.length === 1 && more[0] ? more[0] : joined(more, first.value === '%s' ? '' : '\n'),
      by,
    };
  return undefined;
}

/** One word in their place, which prints the same. */
function joined(words: readonly Word[], separator: string): Word {
  const value = words.map((word) => word.value).join(separator);
  const [from, to] = [words[0]?.at, words.at(-1)?.at];
  return { ...literalWord(value), ...(from && to && { at: { pos: from.pos, end: to.end, value } }) };
}

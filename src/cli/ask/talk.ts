import type { Writable } from 'node:stream';
import { ConfigError } from '../../contract/error.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import type { Conversation } from './conversation.ts';
import type { Lines } from './lines.ts';

export interface TalkOptions {
  readonly conversation: Conversation;
  readonly lines: Lines;
  readonly output: Writable;
  readonly locale: Locale;
  /** Answers one question and returns its exit code. */
  ask(question: string): Promise<number>;
  /** Changes the model; throws `ConfigError` for one that cannot be used. */
  useModel(name: string): void;
  modelNames(): readonly string[];
}

/** An interactive session: a bare line is a question. Returns the exit code of the last one. */
export async function talk(options: TalkOptions): Promise<number> {
  let exitCode = 0;
  for (;;) {
    const line = await options.lines.next('> ');
    if (line === undefined) return exitCode;
    const { command, rest } = parseLine(line);
    switch (command) {
      case undefined:
        if (rest !== '') exitCode = await options.ask(rest);
        break;
      case 'tools':
        for (const tool of await options.conversation.tools()) {
          note(options.output, `${tool.name}  ${tool.description[options.locale]}`);
        }
        break;
      case 'clear':
        options.conversation.clear();
        note(options.output, cleared[options.locale]);
        break;
      case 'model':
        chooseModel(rest, options);
        break;
      case 'exit':
        return exitCode;
      default:
        note(options.output, commands[options.locale]);
    }
  }
}

/** `/ask WORDS` and a bare line are questions; another word after a slash is a command. */
function parseLine(line: string): { readonly command: string | undefined; readonly rest: string } {
  const found = /^\/([\w-]+)(?:\s+(.*))?$/su.exec(line.trim());
  if (!found) return { command: undefined, rest: line.trim() };
  const [, command = '', rest = ''] = found;
  return { command: command === 'ask' ? undefined : command, rest: rest.trim() };
}

function chooseModel(name: string, options: TalkOptions): void {
  if (name !== '') {
    try {
      options.useModel(name);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      note(options.output, error.text[options.locale]);
      return;
    }
  }
  const { endpoint } = options.conversation;
  const others = options.modelNames().join(', ');
  note(options.output, `${endpoint.name} (${endpoint.modelId}, ${endpoint.url})${others && ` · ${others}`}`);
}

function note(output: Writable, words: string): void {
  output.write(`${cleanLine(words)}\n`);
}

const cleared = text('The conversation was cleared.', '会話を消去しました。');
const commands = text(
  '/ask QUESTION · /tools · /clear · /model [NAME] · /exit',
  '/ask 質問 · /tools · /clear · /model [名前] · /exit',
);

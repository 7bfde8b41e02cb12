import type { AskPerson } from '../ask/carry-out.ts';
import { type Checkpoint, makeStateFolder, openCheckpoint, toolsetThat } from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags, Settings } from '../config/settings.ts';
import { defaultToolsets } from '../config/toolset-names.ts';
import type { Call, ContentBlock, Reply } from '../contract/call.ts';
import { ConfigError, type ErrorCode } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import type { Locale } from '../contract/text/text.ts';
import { errorWords } from '../ground/text/error-words.ts';
import { wholeOf } from '../ground/waiting/bounded-stream.ts';
import { type Lines, openLines } from './ask/lines.ts';
import { withPatience } from './ask/patience.ts';
import { createAskPerson } from './ask/person.ts';
import { noteUnreadEnvFile } from './common/note-unread.ts';
import type { Options } from './common/options.ts';
import { ownProgram } from './common/own-command.ts';
import { note, say, sayJson } from './common/say.ts';
import { limitLines } from './serving/limit-lines.ts';

/** Makes one call, as the local caller. Exit code 1 if the tool failed, 2 if it was refused. */
export async function call(
  tool: string,
  words: string | undefined,
  flags: Flags,
  options: Options,
): Promise<number> {
  const input = parseInput(words === '-' ? await readInput() : words);
  const reply = await walk({ tool, input }, await settingsFor(tool, flags));
  show(reply, Boolean(options.json));
  return exitCodeOf(reply);
}

/** Makes the call and returns its reply without printing it; `prepare` runs first. */
export async function walk(
  call: Pick<Call, 'tool' | 'input' | 'patienceMs' | 'replyBytes'>,
  settings: Settings,
  prepare?: (checkpoint: Checkpoint) => Promise<void>,
): Promise<Reply> {
  // Without a home, the error names the missing folder here; the call itself tells its caller no host paths.
  makeStateFolder(settings.stateFolder);
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  const checkpoint = await openCheckpoint(isTerminal ? withPatience(settings) : settings, {
    program: ownProgram(),
  });
  const cancel = new AbortController();
  const onInterrupt = () => cancel.abort();
  const person = isTerminal ? openPerson(settings.locale, onInterrupt) : undefined;
  let said: string | undefined;
  process.once('SIGINT', onInterrupt);
  try {
    await prepare?.(checkpoint);
    return await checkpoint.gateway.call({
      ...call,
      arrival: { transport: 'cli' },
      signal: cancel.signal,
      elicit: person && ((question) => person.ask(question, cancel.signal)),
      progress: (_done, _total, message) => {
        // Progress repeats for clients that would give up; a person reads it once.
        if (message !== undefined && message !== said) note(`… ${message}`);
        said = message ?? said;
      },
    });
  } finally {
    process.off('SIGINT', onInterrupt);
    person?.close();
    await checkpoint.close();
  }
}

/** The person that typed the call answers its questions. The terminal is read only once there is a question. */
function openPerson(locale: Locale, onInterrupt: () => void): { readonly ask: AskPerson; close(): void } {
  let lines: Lines | undefined;
  const { stdin: input, stderr: output } = process;
  const open = () => (lines ??= openLines({ input, output, isTerminal: true, onInterrupt }));
  return { ask: createAskPerson(open, output, locale), close: () => lines?.close() };
}

/** If no toolsets are configured, the tool's own toolset is served: the name shows which tool is meant. */
async function settingsFor(tool: string, flags: Flags): Promise<Settings> {
  const settings = loadSettings(flags);
  noteUnreadEnvFile(flags, settings.locale);
  if (settings.only || settings.toolsets !== defaultToolsets) return settings;
  const toolset = await toolsetThat(({ name }) => name === tool, settings);
  if (toolset === undefined || settings.toolsets.includes(toolset)) return settings;
  return Object.freeze({ ...settings, toolsets: [...settings.toolsets, toolset] });
}

/** Input that others must not see on a command line, such as a passkey, comes through stdin. */
async function readInput(): Promise<string> {
  const input = await wholeOf(process.stdin, limits.stdioMessageBytes);
  if (input) return input.toString('utf8');
  throw new ConfigError(
    `The input is over the limit of ${limits.stdioMessageBytes} bytes.`,
    `入力が ${limits.stdioMessageBytes} バイトの上限を超えています。`,
  );
}

function parseInput(words: string | undefined): unknown {
  if (words === undefined) return {};
  try {
    return JSON.parse(words);
  } catch (error) {
    throw new ConfigError(
      `The arguments must be one JSON object, e.g. '{"path": "README.md"}'.`,
      `引数は 1 つの JSON オブジェクトで指定してください。例: '{"path": "README.md"}'`,
      { cause: error },
    );
  }
}

function show(reply: Reply, asJson: boolean): void {
  if (reply.kind === 'question') return;
  if (asJson) {
    sayJson(reply.kind === 'output' ? (reply.structured ?? reply.content) : reply.structured);
    return;
  }
  if (reply.kind === 'error') {
    note([errorWords(reply), ...(reply.quoted ?? []).map(shownOf)].join('\n'));
    return;
  }
  for (const block of reply.content) say(shownOf(block));
}

function shownOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text.replace(/\n$/, '') : JSON.stringify(block);
}

const refusals = new Set<ErrorCode>([
  'unauthenticated',
  'forbidden',
  'denied',
  'approval_pending',
  'out_of_scope',
]);

export function exitCodeOf(reply: Reply): number {
  if (reply.kind === 'output') return reply.isError ? 1 : 0;
  if (reply.kind === 'question') return 2;
  if (reply.code === 'internal') return 3;
  return refusals.has(reply.code) ? 2 : 1;
}

/** Lists the tools that the local caller would be served. */
export async function tools(flags: Flags, options: Options): Promise<number> {
  const settings = loadSettings(flags);
  noteUnreadEnvFile(flags, settings.locale);
  await using checkpoint = await openCheckpoint(settings);
  const { tools: served } = await checkpoint.gateway.list({ transport: 'cli' });
  if (options.json) {
    const described = served.map((tool) => ({
      name: tool.name,
      toolset: tool.toolset,
      permission: tool.permission,
      description: tool.description[settings.locale],
      inputSchema: tool.inputSchema(settings.locale),
      outputSchema: tool.outputSchema(settings.locale),
      unavailable: tool.unavailable?.[settings.locale],
    }));
    sayJson(described, 2);
    return 0;
  }
  const width = Math.max(...served.map((tool) => tool.name.length));
  for (const tool of served) {
    const note = tool.unavailable ? ` (${tool.unavailable[settings.locale]})` : '';
    say(`${tool.name.padEnd(width)}  ${tool.description[settings.locale]}${note}`);
  }
  for (const line of limitLines(settings)) note(line);
  return 0;
}

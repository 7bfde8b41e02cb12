import * as z from 'zod';
import { ConfigError } from '../contract/error.ts';
import type { Message } from './transcript.ts';

/** The contents of a stored session: the conversation and its model. */
export interface SavedSession {
  readonly model?: string | undefined;
  readonly messages: readonly Message[];
}

/** A session as JSON lines: a header, then one message per line. */
export function encodeSession(session: SavedSession): string {
  const head = { sekisho_session: 1, ...(session.model !== undefined && { model: session.model }) };
  return [head, ...session.messages].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Throws `ConfigError` for a file that is not a session; never reads a part of it. */
export function decodeSession(words: string, path: string): SavedSession {
  const [head, ...lines] = words.split('\n').filter((line) => line !== '');
  assertOurVersion(head ?? '', path);
  const { model } = parseLine(headShape, head ?? '', path, 1);
  const messages = lines.map((line, index) => parseLine(messageShape, line, path, index + 2));
  return { model, messages };
}

/** Throws `ConfigError` for a conversation of a later version: we could lose some of its data. */
function assertOurVersion(head: string, path: string): void {
  const version = /^\{"sekisho_session":(\d{1,6})[,}]/.exec(head)?.[1];
  if (version === undefined || version === '1') return;
  throw new ConfigError(
    `${path}: a newer version of sekisho wrote this session (format ${version}). Use that one, or another --session.`,
    `${path}: このセッションは新しいバージョンの sekisho（形式 ${version}）が書いたものです。そのバージョンか、別の --session を使ってください。`,
  );
}

const headShape = z.object({ sekisho_session: z.literal(1), model: z.string().optional() });

const messageShape = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({
    role: z.literal('assistant'),
    text: z.string(),
    reasoning: z.string().optional(),
    calls: z.array(z.object({ callId: z.string(), tool: z.string(), words: z.string() })),
  }),
  z.object({ role: z.literal('tool'), callId: z.string(), tool: z.string(), text: z.string() }),
]);

function parseLine<T>(shape: z.ZodType<T>, line: string, path: string, number: number): T {
  try {
    return shape.parse(JSON.parse(line));
  } catch (error) {
    throw new ConfigError(
      `${path}, line ${number}: this is not a session of sekisho ask.`,
      `${path} の ${number} 行目: sekisho ask のセッションではありません。`,
      { cause: error },
    );
  }
}

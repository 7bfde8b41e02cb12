import { randomUUID } from 'node:crypto';
import type { AskSessionStore } from '../contract/ask.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { decodeSession, encodeSession } from './session-file.ts';
import { type Message, recentTurns } from './transcript.ts';

const leaseMs = 120_000;
const renewMs = 30_000;
/** The size of a stored conversation; models get less (`contextChars`). */
const keptChars = 1_000_000;

/** Leases a conversation for one question: the one with this id, or a new one. Throws `not_found` and `conflict`. */
export async function leaseConversation(
  store: AskSessionStore,
  principal: string,
  id: string | undefined,
  now: () => number,
) {
  if (id === undefined) {
    const created = `ask_${randomUUID()}`;
    return {
      id: created,
      messages: [],
      save: (messages: readonly Message[]) => store.create(principal, created, encoded(messages), now()),
      release: async () => {},
    };
  }
  const key = { principal, id, holder: randomUUID() };
  const taken = await store.take(key, now() + leaseMs, now());
  if (taken.kind === 'unknown')
    throw new ToolError(
      'not_found',
      'You have no conversation with this id.',
      'この ID の会話はありません。',
      text('Leave out session to start a new one.', 'session を省くと新しい会話が始まります。'),
    );
  if (taken.kind === 'busy')
    throw new ToolError(
      'conflict',
      'This conversation is busy with another question.',
      'この会話は別の質問に回答中です。',
      text('Wait for that answer.', 'その回答を待ってください。'),
    );
  const renewing = setInterval(() => {
    // The next renewal makes up for one that fails.
    store.hold(key, now() + leaseMs).catch(() => {});
  }, renewMs);
  renewing.unref();
  return {
    id,
    messages: decodeSession(taken.body, id).messages,
    save: (messages: readonly Message[]) => store.save(key, encoded(messages), now()),
    async release() {
      clearInterval(renewing);
      await store.release(key);
    },
  };
}

function encoded(messages: readonly Message[]): string {
  return encodeSession({ messages: recentTurns(messages, keptChars) });
}

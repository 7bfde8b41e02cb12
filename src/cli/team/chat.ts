import type { Readable, Writable } from 'node:stream';
import type { Flags } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import type { AgentRecord, Talk, TeamAdmin } from '../../contract/team/admin.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { text } from '../../contract/text/text.ts';
import { type Lines, openLines } from '../ask/lines.ts';
import { durationMs } from '../common/duration.ts';
import type { Options } from '../common/options.ts';
import { inLocale, note, say } from '../common/say.ts';
import { untilTold } from '../serving/stop.ts';
import { withTeam } from './with-team.ts';

/** Sends one message and prints its answer, or, without one, chats at the terminal. Returns the exit code. */
export function chatWith(
  agentId: string,
  words: readonly string[],
  flags: Flags,
  options: Options,
): Promise<number> {
  const waitMs = durationMs(String(options.wait ?? '5m'), '--wait');
  const wanted = options.project === undefined ? undefined : String(options.project);
  return withTeam(flags, async (admin) => {
    const projectId = projectOf(await admin.agents(), agentId, wanted);
    const { stdin, stderr } = process;
    const isTerminal = stdin.isTTY === true;
    const message = words.length > 0 || isTerminal ? words.join(' ') : await allOf(stdin);
    const left = new AbortController();
    const chat = { admin, agentId, projectId, left };
    const stop = untilTold();
    void stop.signal.then(() => left.abort());
    try {
      if (words.length > 0 || !isTerminal) return await sayOnce(chat, message, waitMs);
      const lines = openLines({ input: stdin, output: stderr, isTerminal, onInterrupt: () => left.abort() });
      return await talkOn(chat, lines, stderr);
    } finally {
      left.abort();
      stop.forget();
    }
  });
}

interface Chat {
  readonly admin: TeamAdmin;
  readonly agentId: string;
  readonly projectId: string;
  /** Aborts when the person leaves. */
  readonly left: AbortController;
}

async function sayOnce(
  { admin, agentId, projectId, left: { signal } }: Chat,
  message: string,
  waitMs: number,
): Promise<number> {
  const { seq } = await admin.writeTo(agentId, projectId, message);
  const now = await admin.talkWith(agentId, projectId, { afterSeq: seq, waitMs: 0, signal });
  if (!now.isThere) note(notThere(agentId));
  const { messages } = await admin.talkWith(agentId, projectId, { afterSeq: seq, waitMs, signal });
  const answers = messages.filter(({ isAgents }) => isAgents);
  for (const { content } of answers) say(cleanText(content));
  if (answers.length > 0 || waitMs === 0) return 0;
  note(
    `${agentId} has not answered yet. \`sekisho chat ${agentId}\` shows the answer once it arrives.`,
    `${agentId} からまだ返事がありません。届いた返事は \`sekisho chat ${agentId}\` で表示されます。`,
  );
  return 1;
}

/** Each line is a message; the agent's messages are shown as they come. */
async function talkOn(chat: Chat, lines: Lines, output: Writable): Promise<number> {
  const { admin, agentId, projectId, left } = chat;
  const { signal } = left;
  signal.addEventListener('abort', () => lines.close(), { once: true });
  const before = await admin.talkWith(agentId, projectId, { waitMs: 0, signal });
  for (const message of before.messages) output.write(`${shown(message, agentId)}\n`);
  output.write(`${inLocale(before.isThere ? howTo : notThere(agentId))}\n`);
  const own = new Set<number>();
  const hear = async () => {
    let afterSeq = before.messages.at(-1)?.seq ?? 0;
    while (!signal.aborted) {
      const { messages } = await admin.talkWith(agentId, projectId, { afterSeq, waitMs: hearForMs, signal });
      // Messages typed here are already on the screen.
      const others = messages.filter(({ seq, isAgents }) => isAgents || !own.has(seq));
      if (others.length > 0) lines.remark(others.map((message) => shown(message, agentId)).join('\n'));
      afterSeq = messages.at(-1)?.seq ?? afterSeq;
    }
  };
  const write = async () => {
    for (;;) {
      const line = await lines.next('> ');
      if (line === undefined || line.trim() === '/exit') return;
      if (line.trim() === '') continue;
      try {
        own.add((await admin.writeTo(agentId, projectId, line)).seq);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        output.write(`${inLocale(error.text)}\n`);
      }
    }
  };
  const hearing = hear();
  try {
    await Promise.race([write(), hearing]);
  } finally {
    left.abort();
    // Ended by the line above, or `race` has thrown its error.
    await hearing.catch(() => {});
  }
  return 0;
}

function shown({ isAgents, content }: Talk['messages'][number], agentId: string): string {
  return `${isAgents ? agentId : inLocale(you)}: ${cleanText(content)}`;
}

function projectOf(agents: readonly AgentRecord[], agentId: string, wanted: string | undefined): string {
  const agent = agents.find(({ id }) => id === agentId);
  const [first, second] = agent?.projects ?? [];
  // An unknown agent or project is reported by the write itself.
  if (wanted !== undefined || !agent) return wanted ?? '';
  if (first === undefined)
    throw new ConfigError(
      `Agent ${agentId} works on no project. \`sekisho project assign PROJECT ${agentId}\` gives it one.`,
      `エージェント ${agentId} はどのプロジェクトにも割り当てられていません。\`sekisho project assign PROJECT ${agentId}\` で割り当ててください。`,
    );
  if (second !== undefined)
    throw new ConfigError(
      `Agent ${agentId} works on several projects: choose one with --project (${agent.projects.join(', ')}).`,
      `エージェント ${agentId} は複数のプロジェクトで作業しています。--project で指定してください（${agent.projects.join('、')}）。`,
    );
  return first;
}

async function allOf(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

const you = text('you', 'あなた');
const howTo = text(
  'Each line is a message; Ctrl-D leaves. Later answers are shown next time.',
  '1 行が 1 つのメッセージです。Ctrl-D で終わります。後から届いた返事は次回に表示されます。',
);
const notThere = (agentId: string) =>
  text(
    `${agentId} has no active chat session; it reads this when it is started (get_agent_action asks for that).`,
    `${agentId} のチャットセッションは動いていません。起動されたときに読みます（get_agent_action が起動を指示します）。`,
  );

const hearForMs = 60_000;

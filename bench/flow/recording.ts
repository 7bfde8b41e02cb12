import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One recorded run, in the form of AgentDojo and AgentDyn (`docs/flow.md`); what it lacks is guessed from names. */
export interface Recording {
  readonly suite_name: string;
  readonly user_task_id: string;
  readonly injection_task_id?: string | null | undefined;
  /** Texts that an attacker placed, by the place. */
  readonly injections?: Readonly<Record<string, string>> | undefined;
  /** Did the attacker get what they wanted? */
  readonly security?: boolean | undefined;
  readonly utility?: boolean | undefined;
  /** A message of the role `session` begins another session of the same server. */
  readonly messages: readonly Message[];
  /** Names of tools that only read; without it, those that begin with a verb of reading. */
  readonly reading?: readonly string[] | undefined;
  /** Names of tools that are no proxied server's: files, notes, memories, tasks. */
  readonly own?: readonly string[] | undefined;
}

export interface Message {
  readonly role: string;
  readonly content?:
    | string
    | readonly { readonly content?: string; readonly text?: string }[]
    | null
    | undefined;
  readonly tool_calls?: readonly ToolCall[] | null | undefined;
  /** Of a result. */
  readonly tool_call?: ToolCall | null | undefined;
}

export interface ToolCall {
  readonly function: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly id?: string | null | undefined;
  /** Is it what the attacker wanted? Without it, a call that holds what only the attacker's text has. */
  readonly harmful?: boolean | undefined;
}

export function wordsOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((block) => block.content ?? block.text ?? '').join('\n');
}

/** All recordings in a folder and the folders in it: a file with one, or with a list. */
export function readRecordings(folder: string): readonly Recording[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => {
      const held: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return (Array.isArray(held) ? held : [held]).filter(isRecording);
    });
}

function isRecording(value: unknown): value is Recording {
  const { suite_name: suite, messages } = Object(value) as Partial<Recording>;
  return typeof suite === 'string' && Array.isArray(messages);
}

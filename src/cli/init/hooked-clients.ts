import { type Text, text } from '../../contract/text/text.ts';

/** Where a client looks for hooks, and which of its events we want to hear of. */
export interface HookedClient {
  /** Below the home folder. */
  readonly file: string;
  /** First the one that comes before a tool. */
  readonly events: readonly [HookedEvent, ...HookedEvent[]];
  /** A use of the client's own tool that writes this file, as its hook tells of it. */
  readonly write: (path: string) => { readonly tool_name: string; readonly tool_input: object };
  /** What the person has to do besides. */
  readonly next?: Text | undefined;
}

export interface HookedEvent {
  readonly event: string;
  /** Which tools; absent where the event is of none. */
  readonly matcher?: string | undefined;
  /** Of the hook, beside what is to be started. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

const changing = 'Write|Edit|MultiEdit|NotebookEdit';

/** Longer than a person who is asked elsewhere takes, by what we wait for one. */
const seconds = 600;

export const hookedClients: ReadonlyMap<string, HookedClient> = new Map([
  [
    'claude',
    {
      file: '.claude/settings.json',
      events: [
        { event: 'PreToolUse', matcher: '*', more: { timeout: seconds, onFailure: 'block' } },
        { event: 'PostToolUse', matcher: changing },
        { event: 'PostToolUseFailure', matcher: changing },
        { event: 'UserPromptSubmit' },
        { event: 'SessionEnd' },
      ],
      write: (path) => ({ tool_name: 'Write', tool_input: { file_path: path, content: '' } }),
    },
  ],
  [
    'codex',
    {
      file: '.codex/hooks.json',
      events: [
        { event: 'PreToolUse', matcher: '*', more: { timeout: seconds } },
        { event: 'PostToolUse', matcher: 'apply_patch' },
        { event: 'UserPromptSubmit' },
        { event: 'Stop' },
      ],
      write: (path) => ({
        tool_name: 'apply_patch',
        tool_input: { command: `*** Begin Patch\n*** Add File: ${path}\n+\n*** End Patch` },
      }),
      next: text(
        'Codex runs them once you have trusted them: start it, and look at /hooks. Its own sandbox keeps commands from our server, so put this into ~/.codex/config.toml:\n\n[sandbox_workspace_write]\nnetwork_access = true\n\nThe commands run in our walls all the same, and reach the hosts of your configuration alone.',
        'Codex では、起動して /hooks で信頼すると動きます。Codex 自身のサンドボックスの中からは Sekisho のサーバーに届かないため、~/.codex/config.toml に次を書いてください:\n\n[sandbox_workspace_write]\nnetwork_access = true\n\nコマンドはそれでも Sekisho の囲いの中で動き、届くのは設定にあるホストだけです。',
      ),
    },
  ],
  [
    'gemini',
    {
      file: '.gemini/settings.json',
      events: [
        { event: 'BeforeTool', matcher: '.*', more: { timeout: seconds * 1000 } },
        { event: 'AfterTool', matcher: 'write_file|replace' },
        { event: 'AfterAgent' },
        { event: 'SessionEnd' },
      ],
      write: (path) => ({ tool_name: 'write_file', tool_input: { file_path: path, content: '' } }),
    },
  ],
]);

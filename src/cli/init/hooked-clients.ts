import { type Text, text } from '../../contract/text/text.ts';

/** A client's file for hooks, and the events that we subscribe to. */
export interface HookedClient {
  /** Below the home folder. */
  readonly file: string;
  /** The event before a tool comes first. */
  readonly events: readonly [HookedEvent, ...HookedEvent[]];
  /** The event of the client's own tool that writes this file. */
  readonly write: (path: string) => { readonly tool_name: string; readonly tool_input: object };
  /** Each entry of an event is a hook itself, instead of a list of hooks behind a matcher. */
  readonly isFlat?: boolean | undefined;
  /** The initial content of a new file. */
  readonly empty?: object | undefined;
  /** Makes the hook begin in the client's folder, if the client begins it elsewhere. */
  readonly from?: ((line: string) => string) | undefined;
  /** A further step for the person. */
  readonly next?: Text | undefined;
}

export interface HookedEvent {
  readonly event: string;
  /** The tools to match; undefined if the event is not about one. */
  readonly matcher?: string | undefined;
  /** Further fields of the hook beside its command. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

const changing = 'Write|Edit|MultiEdit|NotebookEdit';

const cursorChanging = 'Write|StrReplace|Edit|EditNotebook|Delete';

/** Longer than our own wait for a person elsewhere. */
const seconds = 600;

export const hookedClients: ReadonlyMap<string, HookedClient> = new Map(
  Object.entries<HookedClient>({
    claude: {
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
    codex: {
      file: '.codex/hooks.json',
      events: [
        { event: 'PreToolUse', matcher: '*', more: { timeout: seconds } },
        { event: 'PermissionRequest', matcher: '*' },
        { event: 'PostToolUse', matcher: 'apply_patch' },
        { event: 'UserPromptSubmit' },
        { event: 'Stop' },
      ],
      write: (path) => ({
        tool_name: 'apply_patch',
        tool_input: { command: `*** Begin Patch\n*** Add File: ${path}\n+\n*** End Patch` },
      }),
      next: text(
        "Codex runs them once you have trusted them: start it, and look at /hooks. Its own sandbox keeps commands from reaching Sekisho, so add this to ~/.codex/config.toml:\n\n[sandbox_workspace_write]\nnetwork_access = true\n\nThe commands still run in Sekisho's sandbox and reach only the hosts in your configuration.",
        'Codex は、起動して /hooks で信頼した後にフックを実行します。Codex 自身のサンドボックスの中からは Sekisho のサーバーに接続できないため、~/.codex/config.toml に次を追加してください:\n\n[sandbox_workspace_write]\nnetwork_access = true\n\nコマンドは引き続き Sekisho のサンドボックスの中で動き、設定にあるホストにだけ接続できます。',
      ),
    },
    gemini: {
      file: '.gemini/settings.json',
      events: [
        { event: 'BeforeTool', matcher: '.*', more: { timeout: seconds * 1000 } },
        { event: 'AfterTool', matcher: 'write_file|replace' },
        { event: 'BeforeAgent' },
        { event: 'AfterAgent' },
        { event: 'SessionEnd' },
      ],
      write: (path) => ({ tool_name: 'write_file', tool_input: { file_path: path, content: '' } }),
    },
    cursor: {
      file: '.cursor/hooks.json',
      isFlat: true,
      empty: { version: 1 },
      from: (line) => `cd "\${CURSOR_PROJECT_DIR:-.}" && ${line}`,
      events: [
        { event: 'preToolUse', matcher: '.*', more: { timeout: seconds, failClosed: true } },
        { event: 'postToolUse', matcher: cursorChanging },
        { event: 'postToolUseFailure', matcher: cursorChanging },
        { event: 'beforeSubmitPrompt' },
        { event: 'stop' },
        { event: 'sessionEnd' },
      ],
      write: (path) => ({ tool_name: 'Write', tool_input: { file_path: path, content: '' } }),
      next: text(
        "This follows Cursor's documentation and has not been tested with Cursor itself. Try it with a command that one of your rules denies, and check the Hooks output channel.",
        'Cursor の文書に従っていますが、Cursor 自体では確認していません。ルールで拒否しているコマンドで試し、Hooks の出力チャンネルを確認してください。',
      ),
    },
  }),
);

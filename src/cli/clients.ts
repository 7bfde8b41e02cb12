import { joinSentences, type Text, text, verbatim } from '../contract/text/text.ts';

export interface ClientConfig {
  /** The client's configuration file, with `~` for the home folder. */
  readonly file: Text;
  readonly words: string;
  /** Further settings without which the client does not call our tools. */
  readonly needs?: Text | undefined;
  /** How to switch off the client's own tools: a model that has both bypasses us, unasked and unrecorded. */
  readonly alone: Text;
  /** The same as a change of its settings, if we can make it. */
  readonly off?: OwnToolsOff | undefined;
}

/** Clients that start servers in another folder than the project; their lines name the project. */
export const startsElsewhere: ReadonlySet<ClientName> = new Set([
  'claude-desktop',
  'cursor',
  'vscode',
  'cline',
  'windsurf',
  'jetbrains',
]);

export interface OwnToolsOff {
  /** Relative to the home folder, or to the folder that tools see. */
  readonly file: string;
  readonly isInHome: boolean;
  readonly key: readonly string[];
  /** The values of that list, or the keys of that object with the value of each. */
  readonly names: readonly string[];
  readonly each?: boolean | undefined;
}

type Server = { readonly command: string; readonly args: readonly string[] };

/** The text to put into a client's own configuration. */
export function clientConfig(client: ClientName, command: string, args: readonly string[]): ClientConfig {
  return makers[client]({ command, args });
}

const common = (server: object) => json({ mcpServers: { sekisho: server } });

const makers = {
  claude: (server) => ({
    file: text('.mcp.json in your project', 'プロジェクトの .mcp.json'),
    words: common(server),
    ...offBy({
      file: '.claude/settings.json',
      isInHome: false,
      key: ['permissions', 'deny'],
      names: ['Bash', 'Read', 'Edit', 'Write', 'NotebookEdit', 'WebFetch', 'WebSearch', 'Agent', 'Monitor'],
    }),
  }),
  'claude-desktop': (server) => ({
    file: text(
      'claude_desktop_config.json (Settings, Developer, Edit Config)',
      'claude_desktop_config.json（Settings、Developer、Edit Config）',
    ),
    words: common(server),
    alone: text(
      'it has none of its own; switch off other servers that reach the same files.',
      '組み込みのものはありません。同じファイルを扱うほかのサーバーがあれば無効にしてください。',
    ),
  }),
  cursor: (server) => ({
    file: text('.cursor/mcp.json in your project', 'プロジェクトの .cursor/mcp.json'),
    words: common(server),
    alone: text(
      'make a custom mode without the built-in tools (Settings, Chat, Custom modes).',
      '組み込みツールのないカスタムモードを作ります（Settings、Chat、Custom modes）。',
    ),
  }),
  vscode: (server) => ({
    file: text('.vscode/mcp.json in your project', 'プロジェクトの .vscode/mcp.json'),
    words: json({ servers: { sekisho: { type: 'stdio', ...server } } }),
    alone: text(
      'clear the built-in tools in the tools picker of the chat.',
      'チャットのツール選択で組み込みツールを外します。',
    ),
  }),
  codex: ({ command, args }) => ({
    file: verbatim('~/.codex/config.toml'),
    words: [
      '[mcp_servers.sekisho]',
      `command = ${JSON.stringify(command)}`,
      `args = ${JSON.stringify(args)}`,
      'default_tools_approval_mode = "approve"',
    ].join('\n'),
    needs: text(
      'default_tools_approval_mode keeps Codex from asking as well: Sekisho asks.',
      'default_tools_approval_mode により Codex 自身は確認せず、確認は Sekisho が行います。',
    ),
    alone: text(
      'sandbox_mode = "read-only" at the top of that file, and [features] shell_tool = false, unified_exec = false. apply_patch remains but cannot write.',
      '同じファイルの先頭に sandbox_mode = "read-only"、[features] に shell_tool = false と unified_exec = false。apply_patch は残りますが書き込めません。',
    ),
  }),
  gemini: (server) => ({
    file: verbatim('~/.gemini/settings.json'),
    words: common({ ...server, trust: true }),
    needs: trusted,
    ...offBy(
      {
        file: '.gemini/settings.json',
        isInHome: true,
        key: ['tools', 'exclude'],
        names: ['run_shell_command', 'replace', 'grep_search', 'list_directory', 'invoke_agent'],
      },
      text(
        "Its read_file, write_file, glob and web_fetch stay, because excluding them would also exclude Sekisho's tools of the same names.",
        'read_file、write_file、glob、web_fetch は残ります。除外すると、Sekisho の同名のツールも除外されるためです。',
      ),
    ),
  }),
  qwen: (server) => ({
    file: verbatim('~/.qwen/settings.json'),
    words: common({ ...server, trust: true, alwaysLoadTools: true }),
    needs: text(
      `${trusted.en} Over HTTP it reads "httpUrl", not "url".`,
      `${trusted.ja} HTTP では "url" でなく "httpUrl" を読みます。`,
    ),
    ...offBy({
      file: '.qwen/settings.json',
      isInHome: true,
      key: ['tools', 'exclude'],
      names: ['run_shell_command', 'edit', 'notebook_edit', 'grep_search', 'agent'],
    }),
  }),
  opencode: ({ command, args }) => ({
    file: text('opencode.json in your project', 'プロジェクトの opencode.json'),
    words: json({ mcp: { sekisho: { type: 'local', command: [command, ...args], enabled: true } } }),
    ...offBy({
      file: 'opencode.json',
      isInHome: false,
      key: ['tools'],
      names: ['bash', 'edit', 'write', 'read', 'grep', 'glob', 'webfetch', 'task'],
      each: false,
    }),
  }),
  continue: ({ command, args }) => ({
    file: verbatim('~/.continue/config.yaml'),
    words: [
      'mcpServers:',
      '  - name: sekisho',
      `    command: ${JSON.stringify(command)}`,
      `    args: ${JSON.stringify(args)}`,
    ].join('\n'),
    alone: cannot,
  }),
  cline: (server) => ({
    file: verbatim('~/.cline/data/settings/cline_mcp_settings.json'),
    words: common({ ...server, disabled: false }),
    needs: text(
      'One process of Cline starts the servers of all folders, so these lines serve this one project in all of them.',
      'Cline は 1 つのプロセスで全フォルダーのサーバーを起動するため、どのフォルダーでもこのプロジェクトが提供されます。',
    ),
    alone: cannot,
  }),
  copilot: (server) => ({
    file: verbatim('~/.copilot/mcp-config.json'),
    words: common({ type: 'local', ...server, tools: ['*'] }),
    alone: verbatim('copilot --available-tools sekisho'),
  }),
  zed: (server) => ({
    file: text('.zed/settings.json in your project', 'プロジェクトの .zed/settings.json'),
    words: json({ context_servers: { sekisho: server } }),
    alone: text(
      'make an agent profile without the built-in tools (agent.profiles in the settings).',
      '組み込みツールのないエージェントプロファイルを作ります（設定の agent.profiles）。',
    ),
  }),
  windsurf: (server) => ({
    file: verbatim('~/.codeium/windsurf/mcp_config.json'),
    words: common(server),
    alone: cannot,
  }),
  jetbrains: (server) => ({
    file: text(
      'Settings, Tools, AI Assistant, Model Context Protocol (AI Assistant), or .junie/mcp/mcp.json in your project (Junie)',
      'Settings、Tools、AI Assistant、Model Context Protocol（AI Assistant）、またはプロジェクトの .junie/mcp/mcp.json（Junie）',
    ),
    words: common(server),
    alone: cannot,
  }),
} satisfies Readonly<Record<string, (server: Server) => ClientConfig>>;

export type ClientName = keyof typeof makers;

/** The clients whose configuration can name a server for them to start. */
export const clientNames = Object.keys(makers) as readonly ClientName[];

const trusted = text(
  'It starts servers only in trusted folders: answer its question there, or run /permissions.',
  '信頼したフォルダーでだけサーバーを起動します。そのフォルダーで質問に答えるか /permissions を実行してください。',
);

const cannot = text(
  'it has no setting for this; deny them when it asks, and do not let it act without asking.',
  'その設定はありません。確認されたら拒否し、確認なしで動作させないでください。',
);

function offBy(off: OwnToolsOff, but?: Text): Pick<ClientConfig, 'alone' | 'off'> {
  const { file, isInHome, key, names, each } = off;
  const value: unknown = each === undefined ? names : Object.fromEntries(names.map((name) => [name, each]));
  const words = JSON.stringify(key.reduceRight((inner, name) => ({ [name]: inner }), value));
  const where = isInHome ? `~/${file}` : file;
  const alone = text(
    joinSentences(`${words} in ${where}.`, but?.en ?? ''),
    joinSentences(`${where} に ${words}。`, but?.ja ?? ''),
  );
  return { alone, off };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a client is started without a person: files that it wants, then a command. */
export interface ClientDriver {
  /** As people call it. */
  readonly name: string;
  readonly package: string;
  readonly bin: string;
  /** Writes its settings for one run. */
  prepare(world: World): void;
  readonly args: (prompt: string, world: World) => readonly string[];
  readonly env: (world: World) => Readonly<Record<string, string>>;
}

/** Where one run of a client happens. */
export interface World {
  readonly home: string;
  readonly work: string;
  readonly modelUrl: string;
  /** The server as a client starts it. */
  readonly server: { readonly command: string; readonly args: readonly string[] };
}

const none = () => ({});

export const clients: readonly ClientDriver[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    bin: 'claude',
    prepare: ({ home, server }) => write(home, 'mcp.json', { mcpServers: { sekisho: server } }),
    args: (prompt, { home }) => [
      ...['-p', prompt, '--mcp-config', join(home, 'mcp.json'), '--strict-mcp-config'],
      ...['--allowedTools', 'mcp__sekisho', '--model', 'claude-sonnet-4-5', '--max-turns', '40'],
    ],
    env: ({ modelUrl }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    bin: 'codex',
    prepare: ({ home, modelUrl, server }) =>
      write(
        home,
        '.codex/config.toml',
        [
          'model = "gpt-5.5"',
          'model_provider = "scripted"',
          'approval_policy = "never"',
          '[model_providers.scripted]',
          'name = "scripted"',
          `base_url = ${JSON.stringify(`${modelUrl}/v1`)}`,
          'wire_api = "responses"',
          '[mcp_servers.sekisho]',
          `command = ${JSON.stringify(server.command)}`,
          `args = ${JSON.stringify(server.args)}`,
          'default_tools_approval_mode = "approve"',
          // Else it keeps our tools back until its model searches for them.
          '[features]',
          'tool_search = false',
        ].join('\n'),
      ),
    args: (prompt) => ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', prompt],
    env: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), OPENAI_API_KEY: 'scripted' }),
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    bin: 'gemini',
    prepare: ({ home, server }) =>
      write(home, '.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        mcpServers: { sekisho: { ...server, trust: true } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    args: (prompt) => ['-p', prompt, '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro', '--skip-trust'],
    env: ({ modelUrl }) => ({
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    bin: 'qwen',
    prepare: ({ home, server }) =>
      write(home, '.qwen/settings.json', {
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        mcpServers: { sekisho: { ...server, trust: true, alwaysLoadTools: true } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    args: (prompt, { modelUrl }) => [
      ...['-p', prompt, '--approval-mode', 'yolo', '--auth-type', 'openai'],
      ...['--openai-api-key', 'scripted', '--openai-base-url', `${modelUrl}/v1`, '-m', 'scripted'],
    ],
    env: none,
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    bin: 'opencode',
    prepare: ({ work, modelUrl, server }) =>
      write(work, 'opencode.json', {
        $schema: 'https://opencode.ai/config.json',
        model: 'scripted/scripted',
        autoupdate: false,
        share: 'disabled',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'scripted' },
            models: {
              scripted: { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8000 } },
            },
          },
        },
        mcp: { sekisho: { type: 'local', command: [server.command, ...server.args], enabled: true } },
      }),
    args: (prompt) => ['run', prompt],
    env: ({ home }) => ({ XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.data') }),
  },
  {
    name: 'Continue (cn)',
    package: '@continuedev/cli',
    bin: 'cn',
    prepare: ({ home, modelUrl, server }) =>
      write(
        home,
        'config.yaml',
        [
          'name: scripted',
          'version: 0.0.1',
          'schema: v1',
          'models:',
          '  - name: scripted',
          '    provider: openai',
          '    model: scripted',
          `    apiBase: ${modelUrl}/v1`,
          '    apiKey: scripted',
          '    roles: [chat]',
          '    capabilities: [tool_use]',
          'mcpServers:',
          '  - name: sekisho',
          `    command: ${JSON.stringify(server.command)}`,
          `    args: ${JSON.stringify(server.args)}`,
        ].join('\n'),
      ),
    args: (prompt, { home }) => ['-p', prompt, '--auto', '--config', join(home, 'config.yaml')],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  },
  {
    name: 'Cline',
    package: 'cline',
    bin: 'cline',
    prepare({ home, modelUrl, server }) {
      const data = join(home, '.cline/data/settings');
      write(data, 'cline_mcp_settings.json', {
        mcpServers: { sekisho: { ...server, disabled: false, autoApprove: [] } },
      });
      write(data, 'providers.json', {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: 'scripted',
              model: 'scripted',
              baseUrl: `${modelUrl}/v1`,
            },
            updatedAt: new Date(0).toISOString(),
            tokenSource: 'manual',
          },
        },
      });
    },
    args: (prompt) => [
      '--auto-approve',
      'true',
      '-P',
      'openai-compatible',
      '-k',
      'scripted',
      '-m',
      'scripted',
      prompt,
    ],
    env: none,
  },
  {
    name: 'Copilot CLI',
    package: '@github/copilot',
    bin: 'copilot',
    prepare: ({ home, server }) =>
      write(home, '.copilot/mcp-config.json', {
        mcpServers: { sekisho: { type: 'local', ...server, tools: ['*'] } },
      }),
    args: (prompt) => ['-p', prompt, '--allow-all-tools', '--allow-all-paths', '--disable-builtin-mcps'],
    env: ({ home, modelUrl }) => ({
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'scripted',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
    }),
  },
];

function write(folder: string, path: string, content: object | string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? `${content}\n` : JSON.stringify(content, null, 2));
}

import { type ClientName, clientConfig, clientNames, startsElsewhere } from '../src/cli/clients.ts';
import { type Locale, text } from '../src/contract/text/text.ts';

const titles: Readonly<Record<ClientName, string>> = {
  claude: 'Claude Code',
  'claude-desktop': 'Claude Desktop',
  cursor: 'Cursor',
  vscode: 'VS Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  opencode: 'opencode',
  continue: 'Continue',
  cline: 'Cline',
  copilot: 'Copilot CLI',
  zed: 'Zed',
  windsurf: 'Windsurf',
  jetbrains: 'JetBrains',
};

/** The page with each client's lines, as `sekisho init` prints them. */
export function connectingPage(locale: Locale): string {
  return `${[words.head[locale], ...clientNames.flatMap((name) => sectionOf(name, locale))].join('\n')}\n`;
}

function sectionOf(name: ClientName, locale: Locale): readonly string[] {
  const root = startsElsewhere.has(name) ? ['--root', '/path/to/project'] : [];
  const { file, words: lines, needs, alone } = clientConfig(name, 'sekisho', ['serve', ...root]);
  const language = lines.startsWith('{') ? 'json' : lines.startsWith('[') ? 'toml' : 'yaml';
  return [
    '',
    `## ${titles[name]}`,
    '',
    words.put(file[locale], name)[locale],
    '',
    `\`\`\`${language}`,
    lines,
    '```',
    '',
    ...(needs ? [needs[locale], ''] : []),
    words.alone(alone[locale])[locale],
  ];
}

const words = {
  head: text(
    [
      '# Connecting each client',
      '',
      '[日本語](connecting.ja.md)',
      '',
      '```sh',
      'npm install --global "$(npm pack --silent)"   # in a clone of the repository',
      'cd ~/code/app',
      'sekisho init --yes --client claude            # adds ~/code/app to your projects, and prints the lines below',
      'sekisho doctor                                # what works on this machine',
      'claude                                        # it asks once whether it may use this server',
      'sekisho approve                               # what waits for an answer, in another terminal',
      'sekisho undo                                  # takes back the last call',
      '```',
      '',
      'On Windows, do this in WSL 2, and start the client there. A client that was started from a desktop may not find `sekisho`: write the full',
      'path, as `init` does. With several projects, the same lines serve all of them: [projects](projects.md).',
    ].join('\n'),
    [
      '# クライアントごとの接続',
      '',
      '[English](connecting.md)',
      '',
      '```sh',
      'npm install --global "$(npm pack --silent)"   # リポジトリのクローンで',
      'cd ~/code/app',
      'sekisho init --yes --client claude            # ~/code/app をプロジェクトに追加し、下の設定を表示',
      'sekisho doctor                                # このマシンで何が動くか',
      'claude                                        # このサーバーを使ってよいか、1 回確認される',
      'sekisho approve                               # 未回答の質問（別のターミナルで）',
      'sekisho undo                                  # 最後の呼び出しを元に戻す',
      '```',
      '',
      'Windows では WSL 2 の中で行い、クライアントもそこで起動してください。デスクトップから起動したクライアントは `sekisho` を見つけられないことが',
      'あります。その場合は、`init` が表示するように絶対パスで書きます。複数のプロジェクトでも同じ設定を使えます: [プロジェクト](projects.ja.md)。',
    ].join('\n'),
  ),
  put: (file: string, name: ClientName) =>
    text(
      `\`sekisho init --client ${name}\`, then put this into ${file}:`,
      `\`sekisho init --client ${name}\` を実行し、次を ${file} に追加します。`,
    ),
  alone: (how: string) =>
    text(
      `The client keeps its own tools, which bypass Sekisho. To switch them off: ${how}`,
      `クライアント自身のツールは残り、Sekisho を通りません。無効にするには: ${how}`,
    ),
};

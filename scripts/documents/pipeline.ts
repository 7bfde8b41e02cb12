import { point } from './points.ts';

const running = 'pipeline/running';
const writing = 'pipeline/writing';
const corpus = 'pipeline/corpus';
const forbidden = 'what is forbidden is refused with its reason, and changes nothing';
const allowed = 'what is allowed gives byte for byte what a shell gives';
const mirrored = 'tee writes the file and the same bytes to the mirror, with a separator before an overwrite';

const commands = [
  ...['tail', 'rg', 'awk', 'sed', 'tr', 'jq', 'wc', 'tee', 'fd', 'ls', 'head', 'sort'].map(
    (name) => [name, corpus, allowed] as const,
  ),
  ['ctree_generate', 'pipeline/code', 'ctree_generate outlines each language'] as const,
  [
    'ctree_check',
    'pipeline/code',
    'ctree_check says what was added, removed and moved since the outline was saved',
  ] as const,
  [
    'serena_find_symbol',
    'pipeline/code',
    'serena_find_symbol finds definitions by name path, kind and part, with their bodies',
  ] as const,
];

/** Document 004: pipelines without a shell. */
export const pipeline = [
  ...commands.map(([name, test, title]) =>
    point(
      `\`${name}\` is a command of pipelines`,
      `\`${name}\` はパイプラインコマンド`,
      'tools/pipeline/commands.ts',
      test,
      title,
    ),
  ),
  point(
    'No other commands can run: `DISALLOWED_CMD`',
    'それ以外のコマンドは実行しない（`DISALLOWED_CMD`）',
    'tools/pipeline/guard.ts',
    corpus,
    forbidden,
  ),
  point(
    'Commands are joined by `|`',
    'コマンドは `|` で連結する',
    'tools/pipeline/parse.ts',
    'process/stages',
    'stages are joined by pipes, and read a file that was opened for them',
  ),
  point(
    'Nothing outside the workspace can be reached',
    'ワークスペースの外には到達できない',
    'confine/pipeline/operands.ts',
    'process/stages',
    'a stage reads nothing else and writes nowhere',
  ),
  point(
    '`pwd` and `cd` can only be used alone, not in a pipeline',
    '`pwd` と `cd` は単独でのみ実行できる',
    'tools/pipeline/parse.ts',
    corpus,
    forbidden,
  ),
  point(
    '`ls` can be part of a pipeline: `ls src | rg fn`',
    '`ls` はパイプラインに参加できる（`ls src | rg fn`）',
    'tools/pipeline/commands.ts',
    corpus,
    allowed,
  ),
  point(
    '`ls` alone is built in and limited to the workspace',
    '単独の `ls` はワークスペースに限られたビルトイン',
    'confine/pipeline/builtins.ts',
    corpus,
    allowed,
  ),
  point(
    'Words are quoted as in a shell',
    '引用符はシェルと同じように解釈する',
    'tools/pipeline/words.ts',
    corpus,
    'every command of the corpus is read, whatever its quotes',
  ),
  point(
    'Each stage’s command and arguments are checked before anything runs',
    '各ステージのコマンドと引数を、実行前に検証する',
    'tools/pipeline/stages.ts',
    corpus,
    forbidden,
  ),
  point(
    'Redirects (`>`, `>>`) are refused',
    'リダイレクト（`>`、`>>`）は拒否する',
    'tools/pipeline/parse.ts',
    corpus,
    forbidden,
  ),
  point(
    '`sed -i` is refused',
    '`sed -i` は拒否する',
    'tools/pipeline/languages/sed-script.ts',
    corpus,
    forbidden,
  ),
  point(
    'awk writes no files',
    'awk によるファイル出力は拒否する',
    'tools/pipeline/languages/awk-program.ts',
    corpus,
    forbidden,
  ),
  point(
    'Each stage is a separate process, connected by kernel pipes',
    '各ステージは独立したプロセスで、OS のパイプで接続する',
    'confine/pipeline/run.ts',
    'process/stages',
    'stages are joined by pipes, and read a file that was opened for them',
  ),
  point(
    'A pipeline gives the same result as a shell',
    '結果はシェルでの実行と同じになる',
    'confine/pipeline/run.ts',
    'pipeline/random',
    'a pipeline made at random gives what a shell gives, or fails as it does',
  ),
  ...['command', 'output_size', 'truncated', 'execution_time_ms'].map((field) =>
    point(
      `Each step tells its \`${field}\``,
      `各ステップは \`${field}\` を記録する`,
      'confine/pipeline/run.ts',
      running,
      'the reply says what each step was and wrote',
    ),
  ),
  point(
    '`cd` changes the folder for the following calls',
    '`cd` は以降の呼び出しの作業ディレクトリを変える',
    'confine/pipeline/sessions.ts',
    running,
    'twenty sessions change folders at once, and none moves another',
  ),
  point(
    'Each session has its own current folder',
    '作業ディレクトリはセッションごとに独立している',
    'confine/pipeline/sessions.ts',
    running,
    'twenty sessions change folders at once, and none moves another',
  ),
  point(
    '`cwd` takes precedence for its call',
    '`cwd` の指定は、その呼び出しで優先する',
    'confine/pipeline/open.ts',
    running,
    'cwd wins for its call, cd alone goes to the root, and a folder that vanished falls back and says so',
  ),
  point(
    'Without `cwd` and before any `cd`, the folder is the root',
    '`cwd` も `cd` もなければルートで実行する',
    'confine/pipeline/sessions.ts',
    running,
    'cwd wins for its call, cd alone goes to the root, and a folder that vanished falls back and says so',
  ),
  point(
    '`tee` writes the file and its mirror below `.shelpa/`',
    '`tee` は実ファイルと `.shelpa/` のミラーに書き込む',
    'confine/pipeline/builtins.ts',
    writing,
    mirrored,
  ),
  point(
    'The mirror is only appended to',
    'ミラーには常に追記する',
    'confine/pipeline/records/mirror.ts',
    writing,
    mirrored,
  ),
  point(
    '`tee -a` appends to both',
    '`tee -a` は両方に追記する',
    'confine/pipeline/builtins.ts',
    writing,
    'shelpa_write creates, appends and overwrites, and create keeps what is there',
  ),
  point(
    'Before an overwrite, a separator with time and record id is added to the mirror',
    '上書きのときは、時刻と record_id を持つセパレータをミラーに挿入する',
    'confine/pipeline/records/mirror.ts',
    writing,
    mirrored,
  ),
  point(
    'Record ids increase and never repeat',
    'record_id は単調に増え、重複しない',
    'confine/pipeline/records/records.ts',
    writing,
    'record ids rise and never repeat, with a clock that stands still and 60 writes at once',
  ),
  point(
    'File and mirror stay consistent, even after a crash',
    '障害が起きても、実ファイルとミラーが食い違うことはない',
    'confine/pipeline/records/mirror.ts',
    writing,
    'a crash in the middle leaves both files or neither, whenever it comes',
  ),
  point(
    'Large writes need `confirm_oversize`',
    '大きな書き込みには `confirm_oversize` が必要',
    'tools/pipeline/shelpa-pipe.ts',
    writing,
    '2 MB need a confirmation that says the size, and 17 MB are refused with it too',
  ),
  point(
    'shelpa_write writes with the same guard and keeps what was overwritten',
    'shelpa_write も同じガードで書き込み、上書き前の内容を残す',
    'tools/pipeline/shelpa-write.ts',
    'attacks/pipeline',
    'shelpa_write meets the same walls, and a file that is hard-linked from outside stays as it is there',
  ),
  point(
    'An error has code, reason, detail and suggestion',
    'エラーは code、reason、detail、suggestion を持つ',
    'tools/pipeline/guard.ts',
    corpus,
    forbidden,
  ),
  point(
    'A suggested command works as written',
    'コマンドとして示す suggestion は、そのまま実行できる',
    'tools/pipeline/substitution.ts',
    corpus,
    'a suggestion that is a command is accepted when it is sent back',
  ),
  point(
    '`--root` names the workspace',
    '`--root` はワークスペースを指定する',
    'config/roots.ts',
    'cli/start-folder',
    'the profile for notes reads the notes of the folder that it is given',
  ),
  point(
    'It serves MCP over stdio',
    'stdio で MCP を提供する',
    'transport/stdio-connection.ts',
    'protocol/product',
    'a line piped into the server is answered, and the server leaves',
    ['over Streamable HTTP too, where it is asked to', '指定すれば Streamable HTTP でも提供する'],
  ),
  point(
    'The help lists the commands for pipelines',
    'ヘルプはパイプラインのコマンドを列挙する',
    'tools/pipeline/shelpa-pipe.ts',
    'pipeline/lessons',
    '%s is answered in words, and with no command that does something else',
    [
      'the tool’s description and the reply to an unknown command list them instead, because a model cannot read the server’s `--help`',
      'サーバーの `--help` ではなく、ツールの説明と、一覧にないコマンドへの返答が示す（モデルの代わりに `--help` を読む人はいないため）',
    ],
  ),
];

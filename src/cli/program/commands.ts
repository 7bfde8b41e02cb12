import { profiles } from '../../config/profiles.ts';
import { engines, runtimes } from '../../config/runtime.ts';
import { locales } from '../../contract/text/text.ts';
import { clientNames } from '../clients.ts';
import { serveOptions } from './serve-options.ts';

const json = '--json :: print as JSON :: JSON で出力';
const jsonLines = '--json :: print as JSON Lines :: JSON Lines で出力';

/**
 * Every command in the order of the help: its words, `+` if it takes the settings, what it does in both languages, and
 * an example ("-": the words alone; in both languages if they differ). Below it its options, as `withOptions` reads them.
 */
export const commandLines = `
serve + :: serve MCP over stdio, or over HTTP with --http :: MCP を標準入出力で提供。--http で HTTP :: --http --profile coding --mode read-only
${serveOptions}
call <tool> [arguments] + :: make one call from the terminal; arguments "-" are read from the input :: ターミナルからツールを 1 回呼び出す。引数が "-" なら標準入力から読む :: file_read '{"path": "README.md", "end_line": 20}'
  --json :: print the whole result as JSON :: 結果全体を JSON で出力
tools + :: list the tools that a server would offer :: 提供されるツールの一覧 :: --profile coding
  --json :: print names, descriptions and schemas as JSON :: 名前、説明、スキーマを JSON で出力
run [command...] + :: run a command like the tool bash, from the current folder: judged, sandboxed and recorded :: ツール bash と同じように審査と記録を行い、サンドボックスの中で、現在のフォルダーからコマンドを実行 :: -- 'npm test | tail -5'
hook + :: decide whether a client's own tool may run; the client's hook starts this, with the event on stdin :: クライアント自身のツールを実行してよいかを判断（クライアントのフックが起動し、標準入力からイベントを読む） :: claude --profile coding
  <client> of claude,codex,gemini,cursor :: whose hook it is :: どのクライアントのフックか
ps :: list the sessions of the server that your clients share :: クライアントが共有するサーバーのセッションを一覧表示 :: -
  ${json}
stop [session] :: end a session of that server, or the server itself :: そのサーバーのセッション、またはサーバー自体を終了 :: --all
  --all :: end the server with all its sessions :: すべてのセッションとともにサーバーを終了
halt + :: stop the work of every session at once, and refuse calls until you resume :: すべてのセッションの作業をすぐに停止し、再開するまで呼び出しを拒否 :: -
resume + :: let work go on after halt :: halt の後に作業を再開 :: -
ask [question...] + :: ask a model that can use the tools; without a question, start an interactive session :: ツールを使うモデルに質問。質問がなければ対話セッションを開始 :: "What does config.txt say?" :: "config.txt には何が書いてありますか"
  --model <name> :: a model from the configuration, glm-4.7, or an Ollama model :: 設定のモデル、glm-4.7、または Ollama のモデル
  --session <name> :: save the conversation under this name, and continue it next time :: この名前で会話を保存し、次回に続ける
  --headless :: refuse what would need your approval :: 承認が必要なものを拒否する
  --event-output :: print events as JSON Lines :: イベントを JSON Lines で出力
  --show-reasoning :: show the model's reasoning :: モデルの思考を表示
token :: manage bearer tokens for HTTP :: HTTP 用のベアラートークンを管理
token create + :: create a token; it is shown only once :: トークンを作成（表示は 1 回だけ） :: --user hana --expires 30d
  --user <name> required :: whose token it is :: トークンの持ち主
  --as-role <role> :: the role that policy rules see :: ポリシールールから見たロール
  --for <toolsets> :: only these toolsets, e.g. vault,assistant :: このツールセットだけ。例: vault,assistant
  --expires <time> :: e.g. 12h, 30d (default: never) :: 例: 12h、30d（既定値: 期限なし）
  ${json}
token list + :: list tokens, without their secrets :: トークンを一覧（値は表示しない） :: -
  ${json}
token revoke <id> + :: revoke a token at once :: トークンをすぐに失効させる :: 4f2a
secret :: manage credentials that commands use and never hold :: コマンドが使い、手にしない認証情報を管理
secret set <name> + :: keep its value, read from the input :: 標準入力から読んだ値を保存 :: github
secret list + :: list them, without their values :: 一覧（値は表示しない） :: -
  ${json}
secret test <name> + :: say whether it can be used, and what a host answers :: 使えるかどうかと、ホストの応答を表示 :: github --url https://api.github.com/user
  --url <address> :: read this address with it, and say the status :: このアドレスに送り、応答のステータスを表示
secret remove <name> + :: delete its value :: 値を削除 :: github
audit :: read and verify the log of every call :: すべての呼び出しの監査ログを表示・検証
audit tail + :: show the newest entries :: 最新の記録を表示 :: --follow
  --lines <number> default 20 :: number of entries :: 件数
  --follow :: keep printing new entries :: 新しい記録を続けて表示
  ${jsonLines}
audit search [text] + :: find entries by id or text :: ID または文字列で記録を検索 :: --tool shell_exec --since 2h
  --tool <name> :: only this tool :: このツールだけ
  --principal <name> :: only this caller :: この呼び出し元だけ
  --outcome <outcome> :: ok, error, question or interrupted :: ok、error、question、interrupted のいずれか
  --since <time> :: e.g. 10m, 2h, 7d :: 例: 10m、2h、7d
  --limit <number> default 100 :: number of entries :: 件数
  ${jsonLines}
audit verify + :: detect changed, missing or cut-off entries :: 改ざん、欠落、切り詰めを検出 :: -
  ${json}
audit export + :: print every entry as JSON Lines :: すべての記録を JSON Lines で出力 :: > audit.jsonl
approve [id...] + :: answer waiting questions; without an id, list them :: 待っている質問に回答。ID を省略すると一覧 :: 4f2a --for 1h
  --for <how> :: allow this and similar calls, e.g. for 1h, session, folder or always :: この呼び出しと同様の呼び出しを許可。例: 1h、session、folder、always
  --until <date> :: allow this and similar calls until a date, e.g. 2027-01-31 :: この呼び出しと同様の呼び出しを、その日まで許可。例: 2027-01-31
  --session :: allow this and similar calls for the rest of the session :: この呼び出しと同様の呼び出しを、セッション終了まで許可
  --always :: allow this and similar calls from now on :: この呼び出しと同様の呼び出しを、今後も許可
  --deny :: deny the call :: 呼び出しを拒否
  --instead <words> :: deny the call and say what to do instead :: 呼び出しを拒否し、代わりにすることを伝える
  --watch :: show questions and calls full-screen and answer by key :: 質問と呼び出しを画面全体に表示し、キーで回答
  --show :: show the question and how far an answer can reach :: 質問と、回答が及ぶ範囲を表示
  ${json}
approve grants + :: list standing approvals :: 継続中の許可を一覧 :: -
  --unused :: only those unused for two weeks :: 2 週間使われていないものだけ
  ${json}
approve revoke [id] + :: revoke a standing approval :: 継続中の許可を取り消す :: 4f2a
  --unused :: revoke all that have been unused for two weeks :: 2 週間使われていないものをすべて取り消す
notify :: manage notices about waiting questions :: 待っている質問の通知を管理
notify list + :: list the channels for notices :: 通知の送り先を一覧 :: -
  ${json}
notify test <name> + :: send a test notice to a channel :: 送り先にテスト通知を送る :: phone
  ${json}
notify log + :: list notices and whether they arrived :: 通知とその配信結果を一覧 :: --lines 50
  --lines <number> default 20 :: number of entries :: 件数
  ${jsonLines}
notify devices + :: list browsers that receive web push :: Web プッシュを受け取るブラウザーを一覧 :: -
  ${json}
notify remove <id> + :: stop sending notices to a device :: 端末への通知を停止 :: dev_4f2a
passkey :: manage the passkeys of devices that answer questions :: 質問に回答する端末のパスキーを管理
passkey list + :: list passkeys, their owners and host names :: パスキー、所有者、ホスト名を一覧 :: -
  ${json}
passkey remove <id> + :: remove a passkey, e.g. of a lost device :: パスキーを削除（端末の紛失時など） :: 4f2a
agent :: manage agents that share work :: 作業を分担するエージェントを管理
agent add <id> + :: add an agent; its passkey is shown only once :: エージェントを追加（パスキーの表示は 1 回だけ） :: worker-1 --project site
  --name <name> :: its name :: 名前
  --manager :: let it lead other agents :: ほかのエージェントを率いるマネージャーにする
  --parent <id> :: its manager :: 上位のマネージャー
  --project <id> repeated :: a project to assign it to; can be repeated :: 割り当てるプロジェクト（繰り返し指定可）
  --max-parallel-tasks <number> :: tasks in progress at once (default: 1) :: 同時に進めるタスクの数（既定値: 1）
  --passkey-env <name> :: read the passkey from this environment variable :: この環境変数からパスキーを読む
  ${json}
agent list + :: list all agents :: すべてのエージェントを一覧 :: -
  ${json}
agent passwd <id> + :: give an agent a new passkey and end its sessions :: エージェントに新しいパスキーを設定し、セッションを終了 :: worker-1
  --passkey-env <name> :: read the passkey from this environment variable :: この環境変数からパスキーを読む
agent remove <id> + :: remove an agent; its open tasks become available again :: エージェントを削除（未完了のタスクは担当なしに戻る） :: worker-1
project :: manage projects that agents work on :: エージェントが作業するプロジェクトを管理
project add <id> + :: add a project :: プロジェクトを追加 :: site --working-directory /srv/site
  --name <name> :: its name :: 名前
  --working-directory <path> :: the folder in which its agents start :: エージェントを起動するフォルダー
project list + :: list all projects :: すべてのプロジェクトを一覧 :: -
  ${json}
project assign <project> <agent> + :: assign an agent to a project :: エージェントをプロジェクトに割り当てる :: site worker-1
  --remove :: end the assignment instead :: 割り当てを解除
project pause <id> + :: pause it :: 一時停止 :: site
project resume <id> + :: resume it :: 再開 :: site
task :: manage tasks for agents :: エージェントのタスクを管理
task add + :: add a task; prints its id :: タスクを追加し、ID を表示 :: --project site --title "Translate the index page" :: --project site --title "トップページを翻訳する"
  --project <id> required :: the project that it belongs to :: 属するプロジェクト
  --title <title> required :: its title :: タイトル
  --description <text> :: its description :: 詳しい説明
  --assign <agent> :: the agent to assign it to :: 担当者
  --start :: start it at once :: すぐに開始
  ${json}
task list + :: list the newest tasks :: 最新のタスクを一覧 :: --project site --status in_progress
  --project <id> :: only this project :: このプロジェクト
  --status <status> :: only this status :: この状態
  ${json}
task show <id> + :: show a task and its history :: タスクとその経過を表示 :: 4f2a
  ${json}
task assign <id> [agent] + :: assign a task to an agent; without an agent, unassign it :: タスクをエージェントに割り当てる。エージェントを省略すると担当なしにする :: 4f2a worker-1
task cancel <id> + :: cancel a task and its subtasks :: タスクとサブタスクを取り消す :: 4f2a --reason "no longer needed" :: 4f2a --reason "不要になったため"
  --reason <text> :: why :: 理由
coordinator :: manage the program that starts agents :: エージェントを起動するプログラムを管理
coordinator token + :: create a new token for it and revoke the old one :: 新しいトークンを作成し、以前のものを失効させる :: -
  --token-env <name> :: read the token from this environment variable :: この環境変数からトークンを読む
chat <agent> [message...] + :: write to an agent and read its answers :: エージェントにメッセージを送り、返事を読む :: worker-1 "How far is the search page?" :: worker-1 "検索ページの進み具合は？"
  --project <id> :: the project to talk in, if the agent works on several :: 会話するプロジェクト（複数で作業している場合）
  --wait <duration> :: with a message: how long to wait for an answer (default: 5m; 0s: not at all) :: メッセージを指定した場合: 返事を待つ時間（既定値: 5m、0s で待たない）
team :: manage agents and projects from a file :: ファイルを使ってエージェントとプロジェクトを管理
team apply <file> + :: show what team.jsonc changes and apply it :: team.jsonc による変更を表示して適用 :: team.jsonc
  --yes :: ask no questions :: 何も確認しない
server :: manage proxied servers :: 中継するサーバーを管理
server list + :: list their tools and what you need to review, without starting them :: ツールと確認待ちのものを一覧（サーバーは起動しない） :: -
  ${json}
server check [name] + :: start them and report their state :: サーバーを起動して状態を表示 :: github
  ${json}
server approve <name> + :: review what changed in its tools and approve it :: ツールの変更を確認して承認 :: github
  --digest <digest> :: approve exactly what was shown with this digest :: このダイジェストで表示された内容だけを承認
server login <name> + :: log in to a server that requires it, in your browser :: ログインが必要なサーバーにブラウザーでログイン :: github
  --scope <scopes> :: request these scopes instead of those that the server names :: サーバーが示すスコープの代わりに、このスコープを要求
  --no-browser :: print the address instead of opening it :: アドレスを表示するだけ
server logout <name> + :: log out and delete the tokens :: ログアウトしてトークンを削除 :: github
server forget <name> + :: forget what you approved; the server is treated as new :: 承認の記録を削除（サーバーは新しいものとして扱われる） :: github
import <from> :: import servers from claude, cursor, vscode, gemini, windsurf, zed or a client's FILE :: claude、cursor、vscode、gemini、windsurf、zed、またはクライアントの FILE からサーバーを取り込む :: claude --dry-run
  --out <file> :: configuration file to write (default: in your configuration folder) :: 書き込む設定ファイル（既定値: 設定フォルダー内）
  --dry-run :: only show what would be imported :: 取り込む内容だけを表示
history [path] + :: list what tools changed, newest first :: ツールによる変更を新しい順に一覧 :: src --since 2h
  --session <id> :: only this session :: このセッションだけ
  --since <time> :: e.g. 10m, 2h, 7d :: 例: 10m、2h、7d
  --limit <number> default 50 :: number of entries :: 件数
  ${jsonLines}
diff <entry> + :: show what a change did :: 変更の内容を表示 :: 4f2a
  ${json}
story [session] + :: show what a session did, from its first call on :: セッションが行ったことを最初の呼び出しから表示 :: --diff
  --diff :: also show the diff since the session began :: セッション開始以降の差分も表示
  ${json}
digest + :: summarize recent activity by session :: 最近の活動をセッションごとに要約 :: --since 8h
  --since <time> default 8h :: e.g. 10m, 2h, 7d :: 例: 10m、2h、7d
  ${json}
undo [entry] + :: undo a change, a session or everything since a time; alone: the last call, after showing it :: 1 件の変更、セッション、またはある時点以降の変更を元に戻す。指定がなければ、最後の呼び出しを表示してから戻す :: --since 10m
  --call :: undo everything that the same call changed :: 同じ呼び出しによる変更をすべて元に戻す
  --session <id> :: undo all changes of a session :: セッションの変更をすべて元に戻す
  --since <time> :: undo all changes since, e.g. 10m, 2h :: それ以降の変更をすべて元に戻す。例: 10m、2h
  --force :: continue even if later changes are lost :: 後の変更が失われる場合も続ける
  --yes :: undo the last call without asking :: 確認せずに、最後の呼び出しを元に戻す
  ${jsonLines}
policy :: show and test the rules: what is allowed, asked about and denied :: ルール（許可、確認、拒否）を表示・テスト
policy explain,show + :: show the mode and all rules in force :: モードと有効なすべてのルールを表示 :: --profile coding
  ${json}
policy test [call] + :: show what would happen to a call, e.g. '{"tool": "shell_exec", "arguments": {"command": "ls"}}' :: 呼び出しがどう扱われるかを表示。例: '{"tool": "shell_exec", "arguments": {"command": "ls"}}' :: '{"tool": "shell_exec", "arguments": {"command": "git push"}}'
  --as <role> :: the role of the local caller :: ローカルの呼び出し元のロール
  --effects <file> :: instead of a call, test changes given as a JSON list :: 呼び出しの代わりに、JSON のリストで指定した変更をテスト
  ${json}
policy why <id> + :: explain a recorded call: what was decided, and where the text that it sent came from :: 記録された呼び出しについて、判断の内容と、送信した文の由来を説明 :: 4f2a1c
  ${json}
memory :: manage what remember has stored :: remember が保存したメモリを管理
memory export + :: print memories as JSON Lines :: メモリを JSON Lines で出力 :: > memories.jsonl
  --user <name> :: only this user (default: the local one) :: このユーザーだけ（既定値: ローカルユーザー）
memory embed + :: embed pending memories of all users; a running server does this automatically :: 全ユーザーの未処理のメモリを埋め込む（動作中のサーバーは自動で行う） :: --status
  --all :: every memory anew :: すべてのメモリを埋め込み直す
  --status :: only show the progress :: 進捗だけを表示
  ${json}
memory import <file> + :: store memories from JSON Lines; - reads stdin :: JSON Lines のメモリを保存。- で標準入力から読む :: memories.jsonl --user hana
  --user <name> :: for this user (default: the local one) :: このユーザー用（既定値: ローカルユーザー）
  ${json}
store :: manage the store that records are kept in :: 記録の保存先を管理
store copy <from> <to> :: copy all records, e.g. sqlite:old.db postgres://…; stop the servers first :: すべての記録をコピー。例: sqlite:old.db postgres://…（先にサーバーを停止） :: sqlite:old.db postgres://user@host/sekisho
  --state <path> :: state folder with the audit.key of both stores :: 両方の audit.key がある状態フォルダー
  ${json}
nodes + :: list the servers that share the records, with load and version :: 記録を共有するサーバーの一覧（負荷とバージョン付き） :: -
  ${jsonLines}
projects :: list your projects, when each was last used, and the questions that wait in it :: プロジェクトの一覧（最後に使った日時と未回答の質問付き） :: -
  --config <file> :: configuration file; never looked for in a workspace :: 設定ファイル（ワークスペース内は探さない）
  --locale <locale> of ${locales.join()} :: language of texts :: 表示言語
  ${jsonLines}
doctor + :: show what works here, what is missing and how to install it :: 動くもの、足りないもの、そのインストール方法を表示 :: --json
  ${json}
console + :: print a one-time link to the web console of a running server :: 動作中のサーバーの Web コンソールへの、1 回だけ使えるリンクを表示 :: -
  ${json}
init :: write a configuration file and print what to paste into your client :: 設定ファイルを書き、クライアントに貼り付ける内容を表示 :: --profile coding --client claude
  --root <path> :: the folder that tools can see (default: the current one) :: ツールから見えるフォルダー（既定値: 現在のフォルダー）
  --profile <name> of ${Object.keys(profiles).join()} :: the profile, a set of defaults (default: coding) :: プロファイル。設定の既定値の組（既定値: coding）
  --client <name> of ${clientNames.join()} :: the client to set up (default: claude) :: 設定するクライアント（既定値: claude）
  --out <file> :: where to write it (default: your configuration folder) :: 書き込み先（既定値: 設定フォルダー）
  --own-tools <what> of keep,hooks,off :: the client's own tools: keep them (default), judge them by hooks, or switch them off :: クライアント自身のツール: そのまま（既定）、フックで審査、無効化
  --yes :: ask no questions :: 何も確認しない
  --runtime <where> of ${runtimes.join()} :: where the server runs; written to the file :: サーバーを動かす場所（ファイルに書き込む）
  --force :: replace an existing file :: 既にあるファイルを置き換える
  --hooks :: write hooks into the client's settings, so that its own tools are judged as well :: クライアントの設定にフックを書き、クライアント自身のツールも審査
  --remove :: remove what init wrote from the client's settings :: init がクライアントの設定に書いたものを削除
image :: the container image for machines without Linux :: Linux のないマシン用のコンテナーイメージ
image build :: build the image with docker or podman, from this package :: このパッケージから docker または podman でイメージをビルド :: --engine podman
  --base <image> :: base image: any Debian with Node 24 and npm :: ベースイメージ（Node 24 と npm を含む Debian）
  --engine <name> of ${engines.join()} :: the engine to build it with :: ビルドに使うエンジン
completion :: print completions for bash, zsh or fish :: bash、zsh、fish 用の補完スクリプトを出力 :: bash >> ~/.bashrc
  <shell> of bash,zsh,fish :: for which shell :: 対象のシェル
`;

/** The help in Japanese, keyed by its English text: a command's tree holds one language at a time. */
export const ja: Readonly<Record<string, string>> = {
  'The checkpoint between AI agents and a machine.': 'AI エージェントとマシンの間に立つ関所。',
  'display help for command': 'ヘルプを表示',
  'output the version number': 'バージョンを表示',

  'serve MCP over stdio, or over HTTP with --http': 'MCP を標準入出力で提供。--http で HTTP',
  'list the sessions of the server that your clients share':
    'クライアントが共有するサーバーのセッションを一覧表示',
  'end a session of that server, or the server itself': 'そのサーバーのセッション、またはサーバー自体を終了',
  'end the server with all its sessions': 'すべてのセッションとともにサーバーを終了',
  'make one call from the terminal; arguments "-" are read from the input':
    'ターミナルからツールを 1 回呼び出す。引数が "-" なら標準入力から読む',
  'run a command like the tool bash, from the current folder: judged, sandboxed and recorded':
    'ツール bash と同じように審査と記録を行い、サンドボックスの中で、現在のフォルダーからコマンドを実行',
  "decide whether a client's own tool may run; the client's hook starts this, with the event on stdin":
    'クライアント自身のツールを実行してよいかを判断（クライアントのフックが起動し、標準入力からイベントを読む）',
  'whose hook it is': 'どのクライアントのフックか',
  "write hooks into the client's settings, so that its own tools are judged as well":
    'クライアントの設定にフックを書き、クライアント自身のツールも審査',
  "remove what init wrote from the client's settings": 'init がクライアントの設定に書いたものを削除',
  "the client's own tools: keep them (default), judge them by hooks, or switch them off":
    'クライアント自身のツール: そのまま（既定）、フックで審査、無効化',
  'list the tools that a server would offer': '提供されるツールの一覧',
  'show what works here, what is missing and how to install it':
    '動くもの、足りないもの、そのインストール方法を表示',
  'print a one-time link to the web console of a running server':
    '動作中のサーバーの Web コンソールへの、1 回だけ使えるリンクを表示',
  'write a configuration file and print what to paste into your client':
    '設定ファイルを書き、クライアントに貼り付ける内容を表示',
  'the container image for machines without Linux': 'Linux のないマシン用のコンテナーイメージ',
  'build the image with docker or podman, from this package':
    'このパッケージから docker または podman でイメージをビルド',
  'base image: any Debian with Node 24 and npm': 'ベースイメージ（Node 24 と npm を含む Debian）',
  'the engine to build it with': 'ビルドに使うエンジン',
  'where the server runs; written to the file': 'サーバーを動かす場所（ファイルに書き込む）',
  'where the server runs (default: host on Linux, container elsewhere)':
    'サーバーを動かす場所（Linux でなければコンテナー）',
  'print completions for bash, zsh or fish': 'bash、zsh、fish 用の補完スクリプトを出力',
  'ask a model that can use the tools; without a question, start an interactive session':
    'ツールを使うモデルに質問。質問がなければ対話セッションを開始',
  'manage bearer tokens for HTTP': 'HTTP 用のベアラートークンを管理',
  'create a token; it is shown only once': 'トークンを作成（表示は 1 回だけ）',
  'list tokens, without their secrets': 'トークンを一覧（値は表示しない）',
  'revoke a token at once': 'トークンをすぐに失効させる',
  'read and verify the log of every call': 'すべての呼び出しの監査ログを表示・検証',
  'show the newest entries': '最新の記録を表示',
  'find entries by id or text': 'ID または文字列で記録を検索',
  'detect changed, missing or cut-off entries': '改ざん、欠落、切り詰めを検出',
  'print every entry as JSON Lines': 'すべての記録を JSON Lines で出力',
  'answer waiting questions; without an id, list them': '待っている質問に回答。ID を省略すると一覧',
  'list standing approvals': '継続中の許可を一覧',
  'show questions and calls full-screen and answer by key': '質問と呼び出しを画面全体に表示し、キーで回答',
  'show what a session did, from its first call on': 'セッションが行ったことを最初の呼び出しから表示',
  'also show the diff since the session began': 'セッション開始以降の差分も表示',
  'summarize recent activity by session': '最近の活動をセッションごとに要約',
  'only those unused for two weeks': '2 週間使われていないものだけ',
  'revoke all that have been unused for two weeks': '2 週間使われていないものをすべて取り消す',
  'revoke a standing approval': '継続中の許可を取り消す',
  'manage notices about waiting questions': '待っている質問の通知を管理',
  'list the channels for notices': '通知の送り先を一覧',
  'send a test notice to a channel': '送り先にテスト通知を送る',
  'list notices and whether they arrived': '通知とその配信結果を一覧',
  'list browsers that receive web push': 'Web プッシュを受け取るブラウザーを一覧',
  'stop sending notices to a device': '端末への通知を停止',
  'manage the passkeys of devices that answer questions': '質問に回答する端末のパスキーを管理',
  'list passkeys, their owners and host names': 'パスキー、所有者、ホスト名を一覧',
  'remove a passkey, e.g. of a lost device': 'パスキーを削除（端末の紛失時など）',
  'manage proxied servers': '中継するサーバーを管理',
  'list their tools and what you need to review, without starting them':
    'ツールと確認待ちのものを一覧（サーバーは起動しない）',
  'start them and report their state': 'サーバーを起動して状態を表示',
  'review what changed in its tools and approve it': 'ツールの変更を確認して承認',
  'log in to a server that requires it, in your browser': 'ログインが必要なサーバーにブラウザーでログイン',
  'log out and delete the tokens': 'ログアウトしてトークンを削除',
  'forget what you approved; the server is treated as new':
    '承認の記録を削除（サーバーは新しいものとして扱われる）',
  "import servers from claude, cursor, vscode, gemini, windsurf, zed or a client's FILE":
    'claude、cursor、vscode、gemini、windsurf、zed、またはクライアントの FILE からサーバーを取り込む',
  'manage the store that records are kept in': '記録の保存先を管理',
  'copy all records, e.g. sqlite:old.db postgres://…; stop the servers first':
    'すべての記録をコピー。例: sqlite:old.db postgres://…（先にサーバーを停止）',
  'show and test the rules: what is allowed, asked about and denied':
    'ルール（許可、確認、拒否）を表示・テスト',
  'show the mode and all rules in force': 'モードと有効なすべてのルールを表示',
  'show what would happen to a call, e.g. \'{"tool": "shell_exec", "arguments": {"command": "ls"}}\'':
    '呼び出しがどう扱われるかを表示。例: \'{"tool": "shell_exec", "arguments": {"command": "ls"}}\'',
  'list your projects, when each was last used, and the questions that wait in it':
    'プロジェクトの一覧（最後に使った日時と未回答の質問付き）',
  'list the servers that share the records, with load and version':
    '記録を共有するサーバーの一覧（負荷とバージョン付き）',
  'manage what remember has stored': 'remember が保存したメモリを管理',
  'print memories as JSON Lines': 'メモリを JSON Lines で出力',
  'embed pending memories of all users; a running server does this automatically':
    '全ユーザーの未処理のメモリを埋め込む（動作中のサーバーは自動で行う）',
  'store memories from JSON Lines; - reads stdin': 'JSON Lines のメモリを保存。- で標準入力から読む',
  'list what tools changed, newest first': 'ツールによる変更を新しい順に一覧',
  'show what a change did': '変更の内容を表示',
  'undo a change, a session or everything since a time; alone: the last call, after showing it':
    '1 件の変更、セッション、またはある時点以降の変更を元に戻す。指定がなければ、最後の呼び出しを表示してから戻す',
  'manage the program that starts agents': 'エージェントを起動するプログラムを管理',
  'create a new token for it and revoke the old one': '新しいトークンを作成し、以前のものを失効させる',
  'write to an agent and read its answers': 'エージェントにメッセージを送り、返事を読む',
  'the project to talk in, if the agent works on several': '会話するプロジェクト（複数で作業している場合）',
  'with a message: how long to wait for an answer (default: 5m; 0s: not at all)':
    'メッセージを指定した場合: 返事を待つ時間（既定値: 5m、0s で待たない）',
  'manage agents and projects from a file': 'ファイルを使ってエージェントとプロジェクトを管理',
  'show what team.jsonc changes and apply it': 'team.jsonc による変更を表示して適用',
  'manage agents that share work': '作業を分担するエージェントを管理',
  'add an agent; its passkey is shown only once': 'エージェントを追加（パスキーの表示は 1 回だけ）',
  'list all agents': 'すべてのエージェントを一覧',
  'give an agent a new passkey and end its sessions':
    'エージェントに新しいパスキーを設定し、セッションを終了',
  'remove an agent; its open tasks become available again':
    'エージェントを削除（未完了のタスクは担当なしに戻る）',
  'manage projects that agents work on': 'エージェントが作業するプロジェクトを管理',
  'add a project': 'プロジェクトを追加',
  'list all projects': 'すべてのプロジェクトを一覧',
  'assign an agent to a project': 'エージェントをプロジェクトに割り当てる',
  'pause it': '一時停止',
  'resume it': '再開',
  'manage tasks for agents': 'エージェントのタスクを管理',
  'add a task; prints its id': 'タスクを追加し、ID を表示',
  'list the newest tasks': '最新のタスクを一覧',
  'show a task and its history': 'タスクとその経過を表示',
  'assign a task to an agent; without an agent, unassign it':
    'タスクをエージェントに割り当てる。エージェントを省略すると担当なしにする',
  'cancel a task and its subtasks': 'タスクとサブタスクを取り消す',

  'explain a recorded call: what was decided, and where the text that it sent came from':
    '記録された呼び出しについて、判断の内容と、送信した文の由来を説明',
  'print as JSON': 'JSON で出力',
  'print as JSON Lines': 'JSON Lines で出力',
  'print the whole result as JSON': '結果全体を JSON で出力',
  'print names, descriptions and schemas as JSON': '名前、説明、スキーマを JSON で出力',
  'number of entries': '件数',
  'e.g. 10m, 2h, 7d': '例: 10m、2h、7d',
  'only this session': 'このセッションだけ',
  'undo everything that the same call changed': '同じ呼び出しによる変更をすべて元に戻す',
  'undo all changes of a session': 'セッションの変更をすべて元に戻す',
  'undo all changes since, e.g. 10m, 2h': 'それ以降の変更をすべて元に戻す。例: 10m、2h',
  'continue even if later changes are lost': '後の変更が失われる場合も続ける',
  'undo the last call without asking': '確認せずに、最後の呼び出しを元に戻す',
  'listen on HTTP (default 127.0.0.1:7040)': 'HTTP で待ち受ける（既定値 127.0.0.1:7040）',
  'the role of the local caller, for policy rules': 'ポリシールールから見たローカルの呼び出し元のロール',
  'the role of the local caller': 'ローカルの呼び出し元のロール',
  'instead of a call, test changes given as a JSON list':
    '呼び出しの代わりに、JSON のリストで指定した変更をテスト',
  'do not serve the web console': 'Web コンソールを提供しない',
  'over stdio: join the server that your clients share, and start it if there is none':
    '標準入出力: クライアントが共有するサーバーに加わる。なければ起動する',
  'over stdio: serve in this process, whatever the settings say':
    '標準入出力: 設定にかかわらず、このプロセスで提供する',
  'the folder that tools can see (default: the current one)':
    'ツールから見えるフォルダー（既定値: 現在のフォルダー）',
  'the profile, a set of defaults (default: coding)': 'プロファイル。設定の既定値の組（既定値: coding）',
  'the client to set up (default: claude)': '設定するクライアント（既定値: claude）',
  'where to write it (default: your configuration folder)': '書き込み先（既定値: 設定フォルダー）',
  'ask no questions': '何も確認しない',
  'replace an existing file': '既にあるファイルを置き換える',
  'for which shell': '対象のシェル',
  'a model from the configuration, glm-4.7, or an Ollama model':
    '設定のモデル、glm-4.7、または Ollama のモデル',
  'save the conversation under this name, and continue it next time': 'この名前で会話を保存し、次回に続ける',
  'refuse what would need your approval': '承認が必要なものを拒否する',
  'print events as JSON Lines': 'イベントを JSON Lines で出力',
  "show the model's reasoning": 'モデルの思考を表示',
  'whose token it is': 'トークンの持ち主',
  'the role that policy rules see': 'ポリシールールから見たロール',
  'only these toolsets, e.g. vault,assistant': 'このツールセットだけ。例: vault,assistant',
  'e.g. 12h, 30d (default: never)': '例: 12h、30d（既定値: 期限なし）',
  'keep printing new entries': '新しい記録を続けて表示',
  'only this tool': 'このツールだけ',
  'only this caller': 'この呼び出し元だけ',
  'ok, error, question or interrupted': 'ok、error、question、interrupted のいずれか',
  'allow this and similar calls for the rest of the session':
    'この呼び出しと同様の呼び出しを、セッション終了まで許可',
  'allow this and similar calls, e.g. for 1h, session, folder or always':
    'この呼び出しと同様の呼び出しを許可。例: 1h、session、folder、always',
  'allow this and similar calls until a date, e.g. 2027-01-31':
    'この呼び出しと同様の呼び出しを、その日まで許可。例: 2027-01-31',
  'deny the call and say what to do instead': '呼び出しを拒否し、代わりにすることを伝える',
  'allow this and similar calls from now on': 'この呼び出しと同様の呼び出しを、今後も許可',
  'deny the call': '呼び出しを拒否',
  'show the question and how far an answer can reach': '質問と、回答が及ぶ範囲を表示',
  'approve exactly what was shown with this digest': 'このダイジェストで表示された内容だけを承認',
  'request these scopes instead of those that the server names':
    'サーバーが示すスコープの代わりに、このスコープを要求',
  'print the address instead of opening it': 'アドレスを表示するだけ',
  'configuration file to write (default: in your configuration folder)':
    '書き込む設定ファイル（既定値: 設定フォルダー内）',
  'only show what would be imported': '取り込む内容だけを表示',
  'state folder with the audit.key of both stores': '両方の audit.key がある状態フォルダー',
  'only this user (default: the local one)': 'このユーザーだけ（既定値: ローカルユーザー）',
  'for this user (default: the local one)': 'このユーザー用（既定値: ローカルユーザー）',
  'every memory anew': 'すべてのメモリを埋め込み直す',
  'only show the progress': '進捗だけを表示',
  'read the token from this environment variable': 'この環境変数からトークンを読む',
  'its name': '名前',
  'let it lead other agents': 'ほかのエージェントを率いるマネージャーにする',
  'its manager': '上位のマネージャー',
  'a project to assign it to; can be repeated': '割り当てるプロジェクト（繰り返し指定可）',
  'tasks in progress at once (default: 1)': '同時に進めるタスクの数（既定値: 1）',
  'read the passkey from this environment variable': 'この環境変数からパスキーを読む',
  'the folder in which its agents start': 'エージェントを起動するフォルダー',
  'end the assignment instead': '割り当てを解除',
  'the project that it belongs to': '属するプロジェクト',
  'its title': 'タイトル',
  'its description': '詳しい説明',
  'the agent to assign it to': '担当者',
  'start it at once': 'すぐに開始',
  'only this project': 'このプロジェクト',
  'only this status': 'この状態',
  why: '理由',

  'configuration file; never looked for in a workspace': '設定ファイル（ワークスペース内は探さない）',
  'a set of defaults': '既定値の組',
  'the folder to serve (default: the current one)': '提供するフォルダー（既定値: 現在のフォルダー）',
  'file with variables for the settings of proxied servers; must not be in a workspace':
    '中継するサーバーの設定に使う変数のファイル（ワークスペース内には置けない）',
  'an additional folder or a single file; can be repeated':
    '追加のフォルダー、または 1 つのファイル（繰り返し指定可）',
  'what to serve': '提供するもの',
  'serve this one tool': 'このツールだけを提供',
  'what tools may do': 'ツールに許可すること',
  'language of texts': '表示言語',
  'folder of the audit log, approvals and memories': '監査ログ、承認、メモリのフォルダー',
  'types of binary files that file_read returns, e.g. image/*; can be repeated':
    'file_read が返すバイナリファイルの種類。例: image/*（繰り返し指定可）',
  'allow file_write to write scripts and programs': 'file_write によるスクリプトやプログラムの書き込みを許可',
  '"off" runs commands without a sandbox': '"off" でコマンドをサンドボックスなしに実行',
};

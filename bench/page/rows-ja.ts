/** The rows and peers of the results, in Japanese; one without a line here fails the pages. */
export const rowsInJapanese: Readonly<Record<string, string>> = {
  'write a new 4 KiB file, durable and recorded': '4 KiB の新しいファイルを、永続化し記録して書き込む',
  'its three syncs, written by hand': '手書きした 3 回の同期',
  'overwrite a 4 KiB file, durable, recorded, the former content kept':
    '4 KiB のファイルを、永続化し記録し、元の内容を残して上書きする',
  'an edit whose text is nowhere in a 160 KiB file': '160 KiB のファイルにない文字列の編集',
  'edit a 200 KiB file': '200 KiB のファイルを編集する',
  'processor time of a claim and its report, 10,000 agents':
    'タスクの取得と報告 1 組の CPU 時間（エージェント 10,000）',
  'with 10 agents': 'エージェント 10',
  'processor time of a claim and its report, 1,000,000 finished tasks':
    'タスクの取得と報告 1 組の CPU 時間（完了したタスク 1,000,000）',
  'with 1,000 finished tasks': '完了したタスク 1,000',
  'claim a task and report it (PostgreSQL, processor time), by agents':
    'タスクの取得と報告（PostgreSQL、CPU 時間）: エージェントの数',
  'claim a task and report it (PostgreSQL, processor time), by finished tasks':
    'タスクの取得と報告（PostgreSQL、CPU 時間）: 完了したタスクの数',
  '1,000 task claims by 8 processes, each also finished':
    '8 プロセスによる 1,000 件のタスクの取得（それぞれ完了まで）',
  'the same': '同上',
  'two bare statements, each synced by SQLite': 'SQL 文 2 つ（SQLite がそれぞれ同期）',
  'tasks claimed twice or never': '二重に取得された、または取得されなかったタスク',
  'run `true`, judged and sandboxed': '`true` を審査し、サンドボックスで実行する',
  'a bare spawn': 'プロセスの起動だけ',
  'vite build of 800 modules, watched': '800 モジュールの vite build（フォルダー上で監視）',
  'cargo build of 60 modules, watched': '60 モジュールの cargo build（フォルダー上で監視）',
  'unpacking 5000 files, watched': '5,000 ファイルの展開（フォルダー上で監視）',
  'a request to a published port on an open connection': '公開したポートへの、開いたままの接続でのリクエスト',
  '100 MiB from a published port, MiB a second': '公開したポートからの 100 MiB（MiB/秒）',
  directly: '直接',
  'the same without a server': 'サーバーなしの同じコマンド',
  'run `true` watched in a tree of 100000 files':
    '100,000 ファイルのツリーで `true` を実行（フォルダー上で監視）',
  'in an empty one': '空のツリーの場合',
  'a dry run that writes 100 files, with its diff': '100 個のファイルを書き込むドライラン（差分付き）',
  'a plain run': '通常の実行',
  'a pipeline of 4 stages, sandboxed': '4 段のパイプライン（サンドボックス）',
  'a shell': 'シェル',
  '1 MB of output': '1 MB の出力',
  'ping while ten other operations run, p99': 'ほかの 10 の操作が動いている間の ping（p99）',
  '100 calls at once, outputs lost': '同時の 100 回の呼び出しで失われた出力',
  'run `true` in a folder of 100,000 files': '100,000 個のファイルがあるフォルダーで `true` を実行する',
  'in an empty folder': '空のフォルダー',
  'a command that rewrites 1,000 files, each kept for undo':
    '1,000 個のファイルを書き換えるコマンド（それぞれ元に戻せるよう保存）',
  'install 20,000 files into node_modules, until the command has ended':
    'node_modules への 20,000 個のファイルのインストール（コマンドの終了まで）',
  'from there until they are in place, and the reply has come': 'そこから反映が終わり、応答が届くまで',
  'cancel, until the last process has ended': '取り消しから、最後のプロセスが終わるまで',
  'processes left 2 s after the client disconnects': 'クライアントの切断から 2 秒後に残るプロセス',
  'read a 4 KiB file': '4 KiB のファイルを読む',
  'the same, 16 in flight': '同上（16 並行）',
  'read a 5 MiB file': '5 MiB のファイルを読む',
  '100 lines at the end of a 500 MB file': '500 MB のファイルの末尾 100 行',
  '100 lines in its middle, read before': 'その中央の 100 行（2 回目以降）',
  'first read of it': 'その最初の読み取り',
  'remember the origins in a 4 KiB result, CPU': '4 KiB の結果にある値の出どころを記憶する（CPU）',
  'judge where a call goes, CPU': '呼び出しの送り先を判断する（CPU）',
  'memory kept for 3,000 results of 4 KiB': '4 KiB の結果 3,000 件のために保持するメモリ',
  'resident memory after 100,000 calls': '100,000 回の呼び出し後の常駐メモリ',
  'after 1,000 calls': '1,000 回の呼び出し後',
  'read a file': 'ファイルを読む',
  'edit a file': 'ファイルを編集する',
  'list a folder': 'フォルダーを一覧する',
  'find names in a folder': 'フォルダーで名前を探す',
  'write a new file into a folder': 'フォルダーに新しいファイルを書き込む',
  'read 4 KB, by number of earlier calls': '4 KB を読む: それまでの呼び出しの数',
  "a hook for a client's own tool": 'クライアント自身のツールに対するフック',
  'starting an empty Node': '空の Node の起動',
  "a hook for a client's own tool, compared with the smallest program":
    'クライアント自身のツールに対するフック（最小のプログラムとの比較）',
  'starting true': 'true の起動',
  '20 hooks at once without a server, until the last answer':
    'サーバーがない状態での同時の 20 のフック（最後の応答まで）',
  'starting 20 empty Nodes': '20 個の空の Node の起動',
  'servers started by these hooks': 'これらのフックが起動したサーバー',
  'HTTP call, stateless, 16 in flight': 'HTTP の呼び出し（ステートレス、16 並行）',
  "the SDK's handler": 'SDK のハンドラー',
  'judge 4 KiB of commands': '4 KiB のコマンドを審査する',
  'the parser alone on the same text': '同じ文字列に対するパーサーだけ',
  'judge 32 KiB of commands': '32 KiB のコマンドを審査する',
  'judge 4 KiB of commands, p99': '4 KiB のコマンドを審査する（p99）',
  'judge 32 KiB of commands, p99': '32 KiB のコマンドを審査する（p99）',
  'judge 32 KiB of what is hard to read, against eight of 4 KiB':
    '読みにくい 32 KiB を審査する（4 KiB を 8 回との比較）',
  'authorization, audit log and all other steps, CPU per call':
    '認可、監査ログ、ほかのすべての段階（呼び出しごとの CPU）',
  '`recall` in 10,000 memories, CPU': '10,000 件のメモリでの `recall`（CPU）',
  '`recall` in 100,000 memories, CPU': '100,000 件のメモリでの `recall`（CPU）',
  'find memories by meaning, CPU': '意味でメモリを探す（CPU）',
  'spawn to the first `tools/list`': '起動から最初の `tools/list` まで',
  'the same, with the shared server running': '同上、共有サーバーが動いている場合',
  'idle resident memory': '待機中の常駐メモリ',
  '`tools/list` of the default toolsets': '既定のツールセットの `tools/list`',
  'claims with reports per second, 50 agents, three servers on one PostgreSQL':
    '1 秒あたりのタスクの取得と報告（エージェント 50、1 つの PostgreSQL に 3 台のサーバー）',
  'one server': 'サーバー 1 台',
  'bare statements, each synced': 'SQL 文だけ（それぞれ同期）',
  'claim a task and finish it': 'タスクを取得して完了する',
  'list 10,000 entries': '10,000 件を一覧する',
  'find names in a tree of 40024 files': '40024 個のファイルのツリーで名前を探す',
  'search content in that tree': 'そのツリーで内容を検索する',
  'read all 9864 lines that a common word is in, 2,000 a page':
    'よくある語を含む 9864 行をすべて、1 ページ 2,000 行ずつ読む',
  'a call through a proxied server, time added': '中継するサーバーへの呼び出しで増える時間',
  'the same, p99': '同上（p99）',
  'the same, 16 in flight on one core': '同上（1 コアで 16 並行）',
  'a request that is looked into, time added to a tunnel':
    '内容を検査するリクエストで、トンネルより増える時間',
  'the same on a new connection': '同上（新しい接続）',
  'a download of 256 MiB, MiB a second': '256 MiB のダウンロード（毎秒 MiB）',
  'a download of 1024 MiB, MiB a second': '1024 MiB のダウンロード（毎秒 MiB）',
  'a request with a secret, time added to one that is looked into':
    'シークレット付きのリクエストで、検査だけの場合より増える時間',
  'a download of 256 MiB from a host of a secret, MiB a second':
    'シークレットのホストからの 256 MiB のダウンロード（毎秒 MiB）',
  'a download of 1024 MiB from a host of a secret, MiB a second':
    'シークレットのホストからの 1024 MiB のダウンロード（毎秒 MiB）',
  '495 held uploads of 1 MiB, memory beyond their connections':
    '保留中の 1 MiB のアップロード 495 件のメモリ（接続そのものを除く）',
  'requests of them that reach the host': 'そのうちホストに届くリクエスト',
  'a read beside them, p99': '同時に行う読み取り（p99）',
  'a download that nobody reads, memory beyond its connections':
    '誰も読み進めないダウンロードのメモリ（接続そのものを除く）',
  '500 requests on 100 connections at once': '100 の接続で同時に 500 件のリクエスト',
  'a tunnel': 'トンネル',
  'first read of a 100 MB note': '100 MB のノートの最初の読み取り',
  '80 lines in its middle, read before': 'その中央の 80 行（2 回目以降）',
  'search 2,000 notes': '2,000 件のノートを検索する',
};

/** A size of the table of growth, e.g. "10,000 entries". */
export function sizeInJapanese(size: string): string {
  return size
    .replace(/^about ([\d,]+) calls in the log$/, 'ログに約 $1 回')
    .replace(/^([\d,]+) (?:entries|memories)$/, '$1 件')
    .replace(/^([\d,]+) agents$/, 'エージェント $1');
}

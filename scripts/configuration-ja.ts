/** What each key of the configuration means, in Japanese; a key that has no line here fails the pages. */
export const meaningsInJapanese: Readonly<Record<string, string>> = {
  profile: '既定値の組の名前。例: "coding"',
  roots:
    'ツールから見えるフォルダー（サーバーをどこで起動しても同じ）。例: ["/srv/project"]。既定: クライアントが作業するプロジェクト（`projects`）',
  resident:
    'このサーバーを標準入出力で起動するクライアントが 1 つのサーバーを共有するか。最後のクライアントが終了した後もしばらく動く（Linux）。true にすると、`init` はそのサーバーにつなぐ小さなプログラムをクライアントに直接起動させる。既定: 共有する',
  protectedNames: 'どのツールも書き込めない名前の追加。例: ["secrets.env"]',
  toolsets: '提供するツールセット。例: ["assistant", "vault"]',
  mode: '人に確認せずにツールが行えることの範囲',
  locale: 'ツールの説明とメッセージの言語。既定: 環境変数から',
  runtime:
    'サーバーを動かす場所。"host" または "container"（docker か podman）。既定: Linux では "host"、それ以外では "container"',
  'container.engine': 'コンテナーエンジン。既定: イメージがあるほう',
  'container.image': 'イメージ。既定: `sekisho image build` が作るもの',
  state: '監査ログ、承認、メモリ、履歴のフォルダー',
  'store.url': '複数のサーバーで使う postgres://… のアドレス。既定: 状態フォルダーの SQLite',
  'http.host': '待ち受けるアドレス。既定: 127.0.0.1',
  'http.port': '既定: 7040',
  'http.allowedHosts': '追加で受け入れる Host ヘッダー。例: ["tools.example.com"]',
  'http.allowedOrigins': 'ブラウザー上のクライアントのオリジン。例: ["https://app.example.com"]',
  'http.maxBodyBytes': 'リクエスト本文の上限。既定: 8 MiB',
  'http.oauth.resource': 'クライアントから見たこのサーバーのアドレス。例: "https://tools.example.com/mcp"',
  'http.oauth.issuers':
    'アクセストークンを受け入れる発行者。["https://login.example.com"]、または {issuer, name, audience, userClaim, nameClaim, roles, toolsets, scopes, defaultScopes}',
  'http.console':
    'Web コンソールを提供します。`"localhost"` はその名前で提供します（このマシンのほかの名前を開けない Safari などのブラウザー用）。既定: true（専用の名前）',
  'http.publicUrl':
    'スマートフォンからこのサーバーに届くアドレス。例: "https://sekisho.example.com"。通知のリンクはこれで始まります',
  'http.drainMs':
    '停止中のサーバーが、/ready で準備ができていないと伝えながら呼び出しを受け付け続ける時間。ロードバランサーが気付けるようにします。既定: 0',
  'http.roots':
    '1 つの PostgreSQL を複数のサーバーで使うとき、どのサーバーにも同じパスに同じファイルがあれば "shared"（ファイルの呼び出しにどのサーバーも応じます）。そうでなければ "own"（セッションは最初にファイルを使ったサーバーに留まり、ほかのサーバーはその呼び出しを転送します）。既定: "own"',
  'files.stale':
    'セッションが読んだ後に他者が変更したファイル全体を置き換えるとき: "tell" は応答で知らせ、"refuse" は拒否し、"off" は何もしません。既定値: "tell"',
  'hooks.elsewhere':
    'プロジェクトではないフォルダーで、フックがクライアント自身のツールをどう扱うか。"judge" はすべてのプロジェクトの設定で審査し、"leave" は関与しません。既定: "judge"',
  rules: 'ポリシーのルール。当てはまるもののうち、最も厳しいものが適用されます',
  flow: '第三者の書いた文章が、中継するツールの呼び出し先を決めているときの扱い。人に確認する "ask"、拒否する "deny"、または "off"（代わりに、何かを変え得る呼び出しのたびに確認します）。既定: "ask"',
  rateLimits:
    '既定: チャット用の配置の assistant ツールセットでは、リモートの利用者ごとに毎分 10 回。フォルダーでの作業（プロファイル coding と team）では毎分 300 回。serve が表示するトークンは運用者のもので、リモートの利用者には当たりません',
  'limits.repeats':
    '同じ結果になる同じ呼び出しが何回続いたら返答で伝えるか。その 5 倍を超えると、モード "full-access" を除いて人に確認します。待つ呼び出しや状態を見る呼び出しは数えません。既定: 10。0 で無効',
  'limits.session.calls': '1 つのセッションの上限。呼び出しの回数',
  'limits.session.minutes':
    '1 つのセッションの上限。呼び出しが実行される時間（分）。バックグラウンドのコマンドの時間は含みません。',
  'limits.session.changedBytes': '1 つのセッションの上限。履歴が記録する、ファイルの変更のバイト数。',
  'limits.session.sentBytes':
    '1 つのセッションの上限。コマンドがホストに、また中継するサーバーや Web ページに送るバイト数。',
  'limits.agent.calls':
    '1 人の呼び出し元（エージェント、利用者、またはこのマシン）の、全セッションを合わせた 1 日の上限。呼び出しの回数',
  'limits.agent.minutes':
    '1 人の呼び出し元（エージェント、利用者、またはこのマシン）の、全セッションを合わせた 1 日の上限。呼び出しが実行される時間（分）。バックグラウンドのコマンドの時間は含みません。',
  'limits.agent.changedBytes':
    '1 人の呼び出し元（エージェント、利用者、またはこのマシン）の、全セッションを合わせた 1 日の上限。履歴が記録する、ファイルの変更のバイト数。',
  'limits.agent.sentBytes':
    '1 人の呼び出し元（エージェント、利用者、またはこのマシン）の、全セッションを合わせた 1 日の上限。コマンドがホストに、また中継するサーバーや Web ページに送るバイト数。',
  'limits.day.calls': 'すべての呼び出し元を合わせた 1 日の上限。呼び出しの回数',
  'limits.day.minutes':
    'すべての呼び出し元を合わせた 1 日の上限。呼び出しが実行される時間（分）。バックグラウンドのコマンドの時間は含みません。',
  'limits.day.changedBytes':
    'すべての呼び出し元を合わせた 1 日の上限。履歴が記録する、ファイルの変更のバイト数。',
  'limits.day.sentBytes':
    'すべての呼び出し元を合わせた 1 日の上限。コマンドがホストに、また中継するサーバーや Web ページに送るバイト数。',
  'approval.waitMs': '呼び出しが人の回答を待つ時間。既定: 45000',
  'approval.expiryMs': '質問に回答できる時間。既定: 1 日',
  'notify.detail':
    '通知に書く内容。"none" は質問が待っていることだけ、"summary" はツール、呼び出し元、ルール、"full" はコマンドとパスを含む質問の全文。既定: "summary"',
  'notify.everyMs': '1 つの送り先への通知は、この時間に多くとも 1 通。その間の質問はまとめます。既定: 1 分',
  'notify.quiet.from': '通知を送らない時間帯の始まり。例: "22:00"',
  'notify.quiet.to': 'その終わり。例: "07:00"。まだ待っている質問は、このとき知らせます',
  'notify.quiet.timeZone': 'そのタイムゾーン。例: "Asia/Tokyo"。既定: マシンのもの',
  'notify.escalate.afterMs': '誰も回答しないままこの時間が過ぎた質問を、2 人目に知らせます。例: 600000',
  'notify.escalate.to': '2 人目への送り先。例: ["boss"]',
  'notify.digest.at': 'ダイジェストを送る時刻。例: ["08:00", "13:00"]。`serve --http` が送ります',
  'notify.digest.timeZone': 'そのタイムゾーン。例: "Asia/Tokyo"。既定: マシンのもの',
  'notify.digest.to': 'ダイジェストの送り先。例: ["mail"]。既定: notify.escalate.to にないすべての送り先',
  'notify.pushServices':
    'Chrome、Firefox、Safari、Edge のもの以外の Web プッシュサービスのオリジン。例: ["https://push.example.com"]',
  'notify.channels':
    '通知の送り先。名前は自由です: {kind: "desktop"}、{kind: "terminal", form}、{kind: "push"}、{kind: "ntfy", url, token, actions}、{kind: "webhook", url, secret}、{kind: "slack", url, signingSecret, people, actions}、{kind: "telegram", token, chat}、{kind: "email", smtp, password, from, to}。秘密の値は ${VARIABLE} と書きます。"push" は、端末で有効にすれば書かなくても使えます',
  'process.sandbox':
    '"off" にすると、コマンドをサンドボックスなしで実行します。設定できるのは利用者本人だけです。既定: "required"',
  'process.environment': 'コマンドから見える環境変数の追加。例: ["JAVA_HOME"]',
  'process.readable': 'コマンドが読めるフォルダーの追加。例: ["/home/me/.pyenv"]',
  'process.devices':
    'コマンドが使えるデバイス。"gpu" は GPU と、そのドライバーが読むもの。デフォルト: なし。',
  'secrets.NAME.hosts': '送信してよいホスト。例: ["github.com", "api.github.com"]。process.network にも必要',
  'secrets.NAME.methods': '付けてよいリクエストのメソッド。例: ["GET"]。既定: すべて',
  'secrets.NAME.paths': '付けてよいリクエストのパス。例: ["/ours/**"]。既定: すべて',
  'secrets.NAME.as':
    'リクエストのどこに付けてよいか。"bearer"、"basic"、"header:X-Api-Key"、"query:key"、"path"、"body"、またはその一覧。既定: ["bearer", "basic"]',
  'secrets.NAME.variable': 'コマンドが代わりの値を受け取る環境変数。既定: 名前の大文字に _TOKEN を付けたもの',
  'secrets.NAME.username': 'git がログインに使うユーザー名。既定: "x-access-token"',
  'secrets.NAME.commands':
    'コマンドに代わりの値を渡すかどうか。既定値: true。これを指定した中継サーバー、モデル、ページの取得では、いずれの場合も使います。',
  'secrets.NAME.webFetch':
    'そのホストのページを web_fetch で読むときに、as にある最初のヘッダーで送信するかどうか。既定値: false。',
  'secrets.NAME.from':
    '値の取得元。サーバーの環境変数（{ "env": "GH_TOKEN" }）またはファイル（{ "file": "/run/secrets/gh" }）。既定: `sekisho secret set` で保存した値',
  'signing.ssh.hosts':
    'あなたの ssh エージェントがコマンドのログインに署名するホスト。例: ["github.com", "git.example.com:2222"]。コマンドが接続できるようになり、セッションごとに確認します',
  'signing.ssh.keys':
    'コマンドが使える鍵。`ssh-add -l` の表示で指定します: ["SHA256:…"]。既定: エージェントのすべての鍵',
  'signing.ssh.hostKeys':
    'ホストの鍵。known_hosts ファイルの行で指定します。既定: ~/.ssh/known_hosts と /etc/ssh/ssh_known_hosts の鍵',
  'signing.ssh.agent': 'エージェントのソケット。既定: サーバーの SSH_AUTH_SOCK',
  'signing.commits':
    'コマンドのコミットとタグに、あなたの git の設定（user.signingKey、gpg.format）で、あなたの gpg または ssh-keygen が署名します。署名ごとに確認します',
  'process.network':
    'コマンドが接続できるホスト。例: ["npm", "api.example.com", "*.example.org", "git.example.com:8443"]。名前の付いた組: npm、pypi、crates、go、rubygems、maven、github。registries は、そのうちプロジェクトのマニフェストに必要な組。TLS は Sekisho で終端し、読み取り以外のリクエストは送信前に確認します。{ "host": "api.example.com", "tls": "tunnel" } は TLS の中身を読まずに通します。"tls" の既定は "inspect" です。既定: なし',
  'process.publish':
    'ブラウザーから接続できるように、このマシンのループバックに公開するコマンドのポート。例: [3000, "5170-5180"]。true: デバッガーのものを除く 1024 から 32767。ポートごとに、セッションで 1 回確認されます。既定値: false。',
  'process.outside':
    'エージェントが、shell_exec の 1 つのコマンドを、サンドボックスの外であなたの権限で実行するよう求められるか（sudo apt install など）。同意できるのは、コンソールまたはターミナルの人だけで、そのコマンド 1 回に限ります。既定: ツールセットが agent-cli だけなら "ask"、それ以外は "never"',
  'process.tryFirst':
    'ファイルが失われ得るという理由だけで組み込みルールがコマンドを止めるとき、レイヤー上で実行し、結果を見て決めます。既定: true（layer が "off" のときを除く）',
  'process.layer':
    'コマンドは、可能ならコピーオンライトのレイヤー上で実行し、終わったときに変更を反映します。"off" はフォルダーで直接実行します。既定: "auto"',
  'process.onFailure':
    '失敗、時間切れ、取り消しとなったコマンドの変更の扱い。"discard" は、レイヤー上で実行したものなら破棄します。既定: "keep"（通常のシェルと同じ）',
  'process.judgement':
    'コマンドをどれだけ厳しく読むか。"plain" は何をするかで審査します。"listed" は加えて、引数によらず rm -rf を拒否し、kill を確認します。"strict" はさらに、置換、eval、exec、base64 -d を認めません。既定: プロジェクトでの bash（配置 "workspace"）は "plain"、shell_exec は "listed"、専用フォルダーでの bash は "strict"',
  'process.cacheBytes':
    'パッケージマネージャーとコンパイラー（npm、pip、cargo、go など）がコマンド間で共有するキャッシュの大きさ。ルートごとに別です。既定: 5 GiB。0 では何も残しません',
  'process.maxTimeoutMs': 'bash が受け付ける制限時間の上限。既定: 1 分、プロファイル "coding" では 1 時間',
  'process.maxBackgroundMs': 'バックグラウンドのコマンドの実行時間の上限。既定: 1 時間',
  'agent-cli.allowMime': 'file_read が返すバイナリーファイルの種類。例: ["image/*"]',
  'agent-cli.allowExecutable': 'file_write にスクリプトやプログラムの書き込みを認めます',
  'assistant.layout': 'output/DATE/user_ID に書くか（既定）、作業フォルダーに直接書くか',
  'assistant.timeZone': '日付を決めるタイムゾーン。例: "Asia/Tokyo"。既定: マシンのもの',
  'web.allowHosts':
    'これらのホストだけを許可します。例: ["*.example.com"]。未設定: すべての公開ホスト。空: なし',
  'web.denyHosts': '常に拒否するホスト',
  'web.allowPrivate': '取得してよいプライベートアドレス。例: ["10.1.2.3:8080"]',
  'web.robots': 'robots.txt に従います',
  'vault.root':
    'ノートのフォルダー。既定: 最初のルートの vault。vault だけを提供し、ルートにノートがあって vault フォルダーがなければ、ルート自体',
  'vault.hardMaxChars': '応答の文字数の上限。既定: 20000',
  'vault.defaultChunkLines': '1 回の読み取りの行数。既定: 80',
  'vault.maxChunkLines': '1 回の読み取りの行数の上限。既定: 200',
  'vault.extras': 'vault_list、vault_search、vault_append、vault_links とリソースを提供します。既定: true',
  servers: '中継するサーバー。[{name, command, args, env}] または {name: {url, headers}}',
  mcpServers: 'servers と同じ。クライアントの使う名前です',
  'retention.auditDays': '監査ログの記録を残す日数。既定: 無期限',
  'retention.eventDays': '終わったタスクの変更履歴を残す日数。既定: 無期限',
  'history.enabled': 'ツールの変更を保存し、`sekisho undo` で元に戻せるようにします。既定: true',
  'history.store':
    '複数のマシンで使う、保存内容のバケット `s3://BUCKET/PREFIX`。既定: `store.url` が指していれば PostgreSQL',
  'history.maxBytes': '保存内容の大きさの上限。既定: 1 GiB',
  'history.maxAgeDays': '内容を残す期間。既定: 30 日',
  'history.commands': 'コマンドの変更を記録し、元に戻せるようにします。既定: on',
  'history.ignore': 'この比較から除くフォルダーの名前。既定: node_modules、.git、target、dist など',
  'pipeline.extended': 'パイプラインで使えるコマンドを増やします: cat、cut、uniq、nl など',
  'memory.embeddings.url':
    'OpenAI 互換のサーバー。既定: Ollama、http://127.0.0.1:11434/v1。メモリと質問がそこへ送られます',
  'memory.embeddings.model': 'サーバーでのモデルの ID。例: "bge-m3"',
  'memory.embeddings.keyVariable': 'キーを持つ環境変数の名前。例: "OPENAI_API_KEY"。キー自体は書きません',
  'memory.embeddings.dimensions': 'ベクトルの長さ（モデルで選べる場合）',
  'memory.embeddings.timeoutMs': 'recall がサーバーを待つ時間。過ぎると語だけで順位を付けます。既定: 300',
  'models.NAME.model': 'サーバーでのモデルの ID。例: "glm-4.7"',
  'models.NAME.url': 'OpenAI 互換のサーバー。既定: Ollama、http://127.0.0.1:11434/v1',
  'models.NAME.keyVariable': 'キーを持つ環境変数の名前。例: "ZAI_API_KEY"。キー自体は書きません',
  'memory.embeddings.keySecret':
    'キーを持つ secrets の項目。例: "openai"。hosts にサーバーのホストが必要です。',
  'models.NAME.keySecret': 'キーを持つ secrets の項目。例: "zai"。hosts にサーバーのホストが必要です。',
  'models.NAME.keyHeader': 'キーを送るヘッダー。例: Azure では "api-key"。既定: Authorization: Bearer',
  'models.NAME.silenceMs': 'サーバーから何も届かないことを許す時間。既定: 240000',
  'models.NAME.contextChars': '送る会話の文字数の上限。既定: 300000',
  'models.NAME.beginsInThought':
    '回答が、開始タグのない推論で始まり </think> で終わるモデルで設定します（チャットテンプレートが開始タグを出すため）',
  'ask.model': '別の指定がないときに使うモデル',
  'ask.toolsets': 'モデルが使えるツールセット。既定: toolsets、なければ ["assistant"]',
  'ask.maxRounds': '1 つの質問での往復の上限。既定かつ最大: 20',
  'ask.perMinute': '毎分の質問数。既定: 10',
  projects:
    'フォルダーごとのプロジェクト。例: {"~/code/*": {"profile": "coding"}}。それぞれに設定（profile、mode、toolsets、rules、process、web など）を書けます: `docs/projects.ja.md`',
};

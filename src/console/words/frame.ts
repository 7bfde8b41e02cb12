import { text } from '../../contract/text/text.ts';
/** The texts around every page: name and menu, login, results of acts, and failures. */
export const frame = {
  name: text('Sekisho', '関所'),
  skip: text('Skip to content', '本文へ移動'),
  nav: {
    overview: text('Overview', '概要'),
    approvals: text('Approvals', '承認'),
    calls: text('Calls', '呼び出し'),
    sessions: text('Sessions', 'セッション'),
    history: text('History', '履歴'),
    memories: text('Memories', 'メモリ'),
    servers: text('Servers', 'サーバー'),
    policy: text('Policy', 'ポリシー'),
    notices: text('Notices', '通知'),
  },
  menu: text('Pages', 'ページ'),
  language: text('日本語', 'English'),
  logout: text('Log out', 'ログアウト'),
  keys: text('Keyboard', 'キーボード'),
  keysList: [
    ['g o', text('overview', '概要')],
    ['g a', text('approvals', '承認')],
    ['g c', text('calls', '呼び出し')],
    ['g h', text('history', '履歴')],
    ['j / k', text('next, previous entry', '次・前の項目')],
    ['/', text('search', '検索')],
    ['a', text('go to “Allow once” of the first question', '最初の質問の「今回だけ許可」へ移動')],
    ['?', text('this list', 'この一覧')],
  ],
  close: text('Close', '閉じる'),
  more: (chars: string) => text(`Show all ${chars} characters`, `全 ${chars} 文字を表示`),
  older: text('Older', '以前のもの'),
  back: text('Back', '戻る'),
  login: {
    title: text('Log in', 'ログイン'),
    link: text(
      'Open the link that the server printed when it started, or make a new one on its machine:',
      'サーバーの起動時に表示されたリンクを開くか、サーバーのマシンで新しいリンクを作成してください。',
    ),
    linkNote: text('A link works once, for ten minutes.', 'リンクは 1 回だけ使え、10 分間有効です。'),
    token: text('Or paste a token', 'またはトークンを貼り付け'),
    tokenNote: text(
      'A token of the role admin or operator sees everything; any other only what is its own.',
      'ロールが admin か operator のトークンはすべてを、それ以外は自分のものだけを見られます。',
    ),
    submit: text('Log in', 'ログイン'),
    passkey: text('Log in with a passkey', 'パスキーでログイン'),
    passkeyFailed: text(
      'No passkey of this address was used. Log in another way, and register one on the page “Notices”.',
      'このアドレスのパスキーは使われませんでした。別の方法でログインし、「通知」ページで登録してください。',
    ),
    bad: text(
      'That link or token does not work. A link works once, for ten minutes: make a new one with sekisho console.',
      'このリンクまたはトークンは使えません。リンクは 1 回だけ使え、10 分間有効です。sekisho console で新しいリンクを作成してください。',
    ),
    often: text('Too many tries. Wait a minute.', '試行回数が多すぎます。1 分ほど待ってください。'),
    out: text('You are logged out.', 'ログアウトしました。'),
  },
  notes: {
    approved: text('Allowed: the waiting call continues.', '許可しました。待っていた呼び出しを続けます。'),
    kept: text(
      'Allowed if the same call is sent again: no call is waiting any more.',
      '許可しました。待っている呼び出しはもうありません。同じ呼び出しが送り直されたときに有効です。',
    ),
    declined: text('Denied.', '拒否しました。'),
    gone: text(
      'That question was answered already, or has expired.',
      'この質問は既に回答済みか、期限切れです。',
    ),
    wide: text(
      'Not answered: this question cannot be allowed that widely.',
      '回答していません。この質問は、そこまで広くは許可できません。',
    ),
    some: text(
      'Some of them were answered elsewhere meanwhile, or have expired. Look at those that still wait.',
      '一部の質問は、その間に回答されたか期限が切れました。残りを確認してください。',
    ),
    own: text(
      'A token cannot answer the questions of its own calls. Log in with a link from the server’s machine.',
      'トークンを使って、そのトークンによる呼び出しに回答することはできません。サーバーのマシンで作成したリンクでログインしてください。',
    ),
    revoked: text(
      'Revoked. You are asked about the next similar call again.',
      '取り消しました。次に同様の呼び出しがあると、再び確認します。',
    ),
    undone: text(
      'Undone. This is itself a change, and you can undo it, too.',
      '元に戻しました。この操作も取り消せます。',
    ),
    already: text('Nothing to undo: it is as it was before.', '何も変更していません。既に元の状態です。'),
    conflict: text(
      'Not undone: the path has changed since. Look at it, and undo the change anyway if you want to.',
      '元に戻していません。その後に変更されています。内容を確かめ、必要なら強制的に戻してください。',
    ),
    partly: text(
      'Partly undone: a path has changed since, or its old content is no longer kept. Look at the changes that remain.',
      '一部だけ元に戻しました。その後に変更されたものか、以前の内容が保存されていないものがあります。残りを確かめてください。',
    ),
    stays: text(
      'Not removed: others have put files into the folder. Undo it again once they are gone.',
      '削除していません。フォルダーにほかのファイルが入れられています。それらがなくなってから、もう一度元に戻してください。',
    ),
    lost: text(
      'Not undone: the old content is no longer kept.',
      '元に戻していません。以前の内容はもう保存されていません。',
    ),
    nothing: text(
      'Nothing changed: it was undone or revoked before, or is gone.',
      '元に戻していません。既に戻されているか、もう存在しません。',
    ),
    saved: text('Saved.', '保存しました。'),
    forgotten: text('Forgotten.', '削除しました。'),
    same: text(
      'Not saved: another memory already says the same.',
      '保存していません。同じ内容のメモリが既にあります。',
    ),
    pinned: text(
      'Approved. Its tools are served as you saw them.',
      '承認しました。確認した内容のツールを提供します。',
    ),
    moved: text(
      'Not approved: the server has changed again. Review it again.',
      '承認していません。サーバーが再び変わりました。もう一度確認してください。',
    ),
    noticeSent: text('Sent.', '送信しました。'),
    noticeFailed: text(
      'Not sent. The list below says why.',
      '送信できませんでした。理由は下の一覧にあります。',
    ),
    deviceAdded: text(
      'This device gets notices of questions from now on.',
      '今後、この端末に質問を知らせます。',
    ),
    deviceRemoved: text('That device gets no more notices.', '今後、その端末には知らせません。'),
    noDevice: text('That was not a subscription of a browser.', 'ブラウザーの購読情報ではありません。'),
    passkeyAdded: text(
      'The passkey is registered. You can answer and log in with it from now on.',
      'パスキーを登録しました。今後、回答とログインに使えます。',
    ),
    passkeyRemoved: text(
      'The passkey is removed, and its logins have ended.',
      'パスキーを削除し、そのパスキーによるログインを終了しました。',
    ),
    noPasskey: text(
      'The passkey was not registered. Load the page again and repeat it.',
      'パスキーは登録されませんでした。ページを読み込み直してやり直してください。',
    ),
    unpinned: text(
      'Forgotten. The server is treated as new next time.',
      '承認の記録を削除しました。次回は新しいサーバーとして扱います。',
    ),
  },
  errors: {
    forbidden: text('This page is for operators.', 'このページは運用者専用です。'),
    forbiddenNote: text(
      'Log in with a link from the server’s machine, or a token of the role admin or operator.',
      'サーバーのマシンで作成したリンク、またはロールが admin か operator のトークンでログインしてください。',
    ),
    missing: text('There is nothing at this address.', 'このアドレスには何もありません。'),
    elsewhere: text('The console has an address of its own.', 'コンソールには専用のアドレスがあります。'),
    elsewhereNote: text(
      'Open the link that “sekisho console” prints on the server’s machine.',
      'サーバーのマシンで「sekisho console」を実行し、表示されたリンクを開いてください。',
    ),
    locked: text('Not answered.', '回答していません。'),
    lockedNote: text(
      'It takes your passkey, for exactly this question and this answer, each time anew.',
      '質問と回答ごとに、毎回パスキーが必要です。',
    ),
    linkGone: text('This link has ended.', 'このリンクは無効になりました。'),
    linkGoneNote: text(
      'Its questions were answered long ago or have expired. Log in to see what waits.',
      '質問はすでに回答されたか、期限が切れました。待っている質問はログインして確認できます。',
    ),
    stale: text('That form is too old.', 'フォームが古くなっています。'),
    staleNote: text(
      'Go back, load the page again and repeat what you did.',
      '前のページを再読み込みして、もう一度操作してください。',
    ),
    failed: text('That did not work.', '処理できませんでした。'),
    failedNote: text('The reason is in the server’s log.', '理由はサーバーのログにあります。'),
  },
};

import { type Said, text } from '../contract/text/text.ts';

/** Says a text in the language of a page. */
export type Say = (...said: Said<never>) => string;

// What more than one page says.
export const product = text('Sekisho', '関所');
export const language = text('日本語', 'English');
export const back = text('Back', '戻る');
export const older = text('Older', '以前のもの');
export const lockedDevice = text(
  'Not answered: the device was not unlocked.',
  '回答していません。端末のロックが解除されませんでした。',
);

/** The state of a question. */
export const questionStates = {
  pending: text('waiting', '待機中'),
  approved: text('allowed', '許可'),
  declined: text('denied', '拒否'),
  used: text('allowed, used', '許可・使用済み'),
  expired: text('expired', '期限切れ'),
};

/** How a call came. */
export const transports = {
  stdio: text('local client (stdio)', 'ローカルのクライアント (stdio)'),
  http: text('network (HTTP)', 'ネットワーク (HTTP)'),
  cli: text('command line', 'コマンドライン'),
  ask: text('sekisho ask', 'sekisho ask'),
  console: text('console', 'コンソール'),
  hook: text('hook of the client', 'クライアントのフック'),
  notice: text('notice', '通知'),
};

/** The result of an act, above the page that it leads to. */
export const notes = {
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
  undoneInside: text(
    'Undone in the folders. A command ran outside the sandbox, and what it changed elsewhere cannot be undone.',
    'フォルダー内は元に戻しました。サンドボックスの外で実行されたコマンドがあり、フォルダーの外での変更は元に戻せません。',
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
  halted: text('All work is stopped.', 'すべての作業を停止しました。'),
  resumed: text('Work may go on.', '作業を再開できます。'),
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
};

import { type Text, text } from '../../contract/text/text.ts';

/** Why clients' hooks are not available if the server runs in a container. */
export const noHooks = text(
  "Hooks judge a client's own tools on this machine, and a server in a container cannot see what those do. Hooks need Linux and --runtime host; switch the client's own tools off instead.",
  'フックはこのマシン上でクライアント自身のツールを審査するもので、コンテナー内のサーバーからはその動きが見えません。Linux と --runtime host が必要です。代わりに、クライアント自身のツールを無効にしてください。',
);

/** Commands that only work beside the person's own programs, and why. */
export const notInside: Readonly<Record<string, Text>> = {
  hook: noHooks,
  'server login': text(
    'A login ends at a port of this machine, on which a container cannot listen. Log in with --runtime host on Linux, or give the server a token.',
    'ログインの完了はこのマシンのポートで受け取るため、コンテナーでは受け取れません。Linux で --runtime host を付けてログインするか、サーバーにトークンを設定してください。',
  ),
};

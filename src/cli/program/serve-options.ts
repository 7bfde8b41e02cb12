import type { Command } from 'commander';
import { withOptions, withSettings } from '../common/options.ts';

export const serveOptions = `  --http [host:port] :: listen on HTTP (default 127.0.0.1:7040) :: HTTP で待ち受ける（既定値 127.0.0.1:7040）
  --as <role> :: the role of the local caller, for policy rules :: ポリシールールから見たローカルの呼び出し元のロール
  --no-console :: do not serve the web console :: Web コンソールを提供しない
  --alone :: over stdio: serve in this process instead of the server that your clients share :: 標準入出力: クライアントが共有するサーバーではなく、このプロセスで提供する`;

/** The options of `serve`. */
export function withServeOptions(command: Command): Command {
  return withOptions(withSettings(command), serveOptions);
}

import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** Turns a failure to listen into an error that the operator can fix; returns other errors unchanged. */
export function listenProblem(error: unknown, host: string, port: number): unknown {
  const words = problems[errnoCode(error) as keyof typeof problems];
  if (words === undefined) return error;
  return new ConfigError(
    text(
      `Nothing can listen at ${host}:${port}: ${words.en}.`,
      `${host}:${port} で待ち受けできません: ${words.ja}。`,
    ),
    { cause: error },
  );
}

const problems = {
  EADDRINUSE: text(
    'another program is using it. Stop it, or choose another port with `--http PORT`',
    '別のプログラムが使用中です。それを止めるか、`--http PORT` で別のポートを指定してください',
  ),
  EADDRNOTAVAIL: text(
    'this machine has no such address. Choose one of its own with `--http HOST:PORT`',
    'このマシンにそのアドレスはありません。`--http HOST:PORT` でこのマシンのアドレスを指定してください',
  ),
  EACCES: text(
    'this user is not allowed to use the port. Choose one above 1023 with `--http PORT`',
    'このユーザーには、そのポートを使う権限がありません。`--http PORT` で 1024 以上を指定してください',
  ),
  ENOTFOUND: text(
    'the host name is unknown. You can give an address with `--http HOST:PORT`',
    'ホスト名が見つかりません。`--http HOST:PORT` にはアドレスも指定できます',
  ),
} as const;

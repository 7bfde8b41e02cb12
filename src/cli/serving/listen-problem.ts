import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** Why nothing can listen at an address, as a mistake that the operator can mend; other errors as they are. */
export function listenProblem(error: unknown, host: string, port: number): unknown {
  const words = problems[(error as NodeJS.ErrnoException).code as keyof typeof problems];
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
    'another program is there already. Stop it, or take another port with `--http PORT`',
    '別のプログラムが使用中です。それを止めるか、`--http PORT` で別のポートを指定してください',
  ),
  EADDRNOTAVAIL: text(
    'this machine has no such address. `--http HOST:PORT` takes one of its own',
    'このマシンにそのアドレスはありません。`--http HOST:PORT` でこのマシンのアドレスを指定してください',
  ),
  EACCES: text(
    'this user may not take the port. Take one above 1023 with `--http PORT`',
    'このユーザーはそのポートを使えません。`--http PORT` で 1024 以上を指定してください',
  ),
  ENOTFOUND: text(
    'the name of the host is not known. `--http HOST:PORT` takes an address',
    'ホスト名が見つかりません。`--http HOST:PORT` にはアドレスも指定できます',
  ),
} as const;

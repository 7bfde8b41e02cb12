import * as z from 'zod';
import { ConfigError } from '../contract/error.ts';

export const publishSchema = z.union([
  z.boolean(),
  z.array(z.union([z.int(), z.string().regex(/^\d{1,5}-\d{1,5}$/)])),
]);

/** The ports of `process.publish`: the first and the last of each range. Throws `ConfigError`. */
export function publishOf(
  publish: z.infer<typeof publishSchema> = false,
  http: { readonly port: number; readonly console: boolean | 'localhost' },
): readonly (readonly [number, number])[] {
  if (publish === false || (publish !== true && publish.length === 0)) return [];
  if (http.console === 'localhost')
    throw new ConfigError(
      'process.publish needs a console with a host name of its own, as browsers send the cookies of localhost to every port: remove "console": "localhost" from http, or switch the console off.',
      'process.publish を使うには、コンソールに専用のホスト名が必要です。ブラウザーは localhost の Cookie をすべてのポートに送ります。http から "console": "localhost" を外すか、コンソールを無効にしてください。',
    );
  if (publish === true) return usual;
  return publish.map((entry) => {
    const [first = 0, last = first] = String(entry).split('-').map(Number);
    if (first < 1024 || last > 65_535 || first > last)
      throw new ConfigError(
        `process.publish must list ports from 1024 to 65535, such as 3000 or "5170-5180", got ${JSON.stringify(entry)}.`,
        `process.publish には 1024 から 65535 のポートを 3000 や "5170-5180" のように指定してください（指定値: ${JSON.stringify(entry)}）。`,
      );
    if (first <= http.port && http.port <= last)
      throw new ConfigError(
        `process.publish lists ${http.port}, which is the port of Sekisho itself (http.port), got ${JSON.stringify(entry)}.`,
        `process.publish に ${http.port} が含まれていますが、これは Sekisho 自身のポート (http.port) です（指定値: ${JSON.stringify(entry)}）。`,
      );
    return [first, last] as const;
  });
}

/** Without the debuggers of Java, Node, Python and Chromium: whoever reaches one runs any code. */
const debuggers = [5005, 5678, 5858, 9222, 9229];
const usual = [1023, ...debuggers].map(
  (before, index) => [before + 1, (debuggers[index] ?? 32_768) - 1] as const,
);

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Carrying, SecretRule } from '../../contract/capabilities/secrets.ts';
import { ConfigError } from '../../contract/error.ts';
import { isBelow } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import { programOf } from './from-command.ts';

const carrying = z.union([
  z.enum(['bearer', 'basic', 'path', 'body']),
  z.templateLiteral(['header:', z.string().regex(/^[\w-]+$/)]),
  z.templateLiteral(['query:', z.string().regex(/^[\w.-]+$/)]),
]);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);

const secret = z.strictObject({
  hosts: list(z.string().min(1)).describe(
    'The hosts that it may go to, e.g. ["github.com", "api.github.com"]; process.network must list them too.',
  ),
  methods: list(z.string().regex(/^[A-Za-z]+$/))
    .optional()
    .describe('The methods of requests that may carry it, e.g. ["GET"]. Default: any.'),
  paths: list(z.string().startsWith('/'))
    .optional()
    .describe('The paths of requests that may carry it, e.g. ["/ours/**"]. Default: any.'),
  as: z
    .union([z.literal('sigv4'), carrying, list(carrying)])
    .optional()
    .describe(
      'Where a request may carry it: "bearer", "basic", "header:X-Api-Key", "query:key", "path" or "body", or several of them; or "sigv4" for a key of AWS, whose value is ID:SECRET or ID:SECRET:TOKEN. Default: ["bearer", "basic"].',
    ),
  variable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/)
    .optional()
    .describe(
      'The variable in which commands find its stand-in. Default: the name in upper case and _TOKEN; for "sigv4" the start of three names, AWS.',
    ),
  username: z
    .string()
    .regex(/^[\w.@+-]+$/)
    .optional()
    .describe('The user that git logs in as beside it. Default: "x-access-token".'),
  commands: z
    .boolean()
    .optional()
    .describe(
      'Whether commands get a stand-in for it. Default: true. Proxied servers, models and web pages that name it use it either way.',
    ),
  webFetch: z
    .boolean()
    .optional()
    .describe(
      'Whether web_fetch sends it when it reads a page of its hosts, in the first header that `as` lists. Default: false.',
    ),
  from: z
    .union([
      z.strictObject({ env: z.string().min(1) }),
      z.strictObject({ file: z.string().min(1) }),
      z.strictObject({ command: list(z.string().min(1)), seconds: z.int().min(1).optional() }),
      z.literal('keyring'),
    ])
    .optional()
    .describe(
      'Its value: a variable of the server ({ "env": "GH_TOKEN" }), the first line of a file ({ "file": "/run/secrets/gh" }) or of what a program prints that the server runs outside of the sandbox ({ "command": ["op", "read", "op://Private/gh/token"], "seconds": 3600 }; without `seconds` once), or the keyring of the desktop ("keyring"). Default: what `sekisho secret set` has kept.',
    ),
});

export const secretsSchema = z.record(z.string().regex(/^[a-z][a-z\d-]{0,63}$/), secret);

/** Undefined: sealed in the state folder. */
export type SecretSource =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[]; readonly seconds?: number | undefined }
  | 'keyring'
  | undefined;

/** A credential as the file names it. */
export interface SecretSettings extends SecretRule {
  readonly commands: boolean;
  readonly from: SecretSource;
}

interface Surroundings {
  readonly cwd: string;
  readonly roots: readonly { readonly path: string }[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws `ConfigError` if two share a variable, commands see a value, or they reach no host at all. */
export function secretsOf(
  named: z.input<typeof secretsSchema> = {},
  around: Surroundings,
  { network, environment }: { readonly network: readonly string[]; readonly environment: readonly string[] },
): readonly SecretSettings[] {
  const all = Object.entries(named).map(
    ([
      name,
      { as = ['bearer', 'basic'], from, commands = true, webFetch = false, ...rest },
    ]): SecretSettings => ({
      ...rest,
      name,
      commands,
      webFetch,
      username: rest.username ?? 'x-access-token',
      variable:
        rest.variable ?? (as === 'sigv4' ? 'AWS' : `${name.toUpperCase().replaceAll('-', '_')}_TOKEN`),
      methods: rest.methods?.map((method) => method.toUpperCase()),
      as: (typeof as === 'string' ? [as] : as).map((place) => inLowerCase(place as Carrying)),
      from: sourceOf(from, around),
    }),
  );
  for (const { name, variable, from } of all) {
    const other = all.find((each) => each.variable === variable && each.name !== name);
    if (other)
      throw new ConfigError(
        `secrets.${name} and secrets.${other.name} have the same variable, ${variable}: name another in one of them.`,
        `secrets.${name} と secrets.${other.name} の variable が同じ ${variable} です。どちらかを変更してください。`,
      );
    if (isShown(from, around.roots, environment))
      throw new ConfigError(
        `secrets.${name}.from must be nothing that commands see or write: no file in a root, as a program or argument neither, and no variable of process.environment.`,
        `secrets.${name}.from には、コマンドから見えるものや書き込めるもの（プログラムや引数を含め、ルート内のファイルと process.environment の変数）を指定できません。`,
      );
  }
  for (const { name, as, webFetch } of all) {
    if (webFetch && !as.some((place) => /^(bearer|basic|header:.*)$/.test(place)))
      throw new ConfigError(
        `secrets.${name}.webFetch needs a header in secrets.${name}.as: "bearer", "basic" or "header:NAME".`,
        `secrets.${name}.webFetch を使うには、secrets.${name}.as にヘッダー（"bearer"、"basic"、"header:名前"）が必要です。`,
      );
  }
  if (all.some(({ commands }) => commands) && network.length === 0)
    throw new ConfigError(
      'secrets need hosts that commands can reach: list them in process.network, or set "commands": false.',
      'secrets を使うには、コマンドが接続できるホストを process.network に指定するか、"commands": false を指定してください。',
    );
  return all;
}

/** A program is looked for once: commands could later put another into a folder of PATH. */
function sourceOf(from: SecretSource, { cwd, environment }: Surroundings): SecretSource {
  if (from === undefined || from === 'keyring' || 'env' in from) return from;
  if ('file' in from) return { file: resolve(cwd, from.file) };
  const [program = '', ...args] = from.command;
  return { ...from, command: [programOf(program, environment) ?? program, ...args] };
}

function isShown(
  from: SecretSource,
  roots: readonly { readonly path: string }[],
  environment: readonly string[],
): boolean {
  if (from === undefined || from === 'keyring') return false;
  if ('env' in from) return environment.includes(from.env);
  const named = 'file' in from ? [from.file] : from.command.map((word) => resolve('/', word));
  return named
    .flatMap((path) => [path, orElse(() => realpathSync(path), path)])
    .some((path) => roots.some((root) => isBelow(path, root.path)));
}

function inLowerCase(place: Carrying): Carrying {
  return place.startsWith('header:') ? `header:${place.slice('header:'.length).toLowerCase()}` : place;
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { Carrying, SecretRule, Secrets } from '../../contract/capabilities/secrets.ts';
import { ConfigError } from '../../contract/error.ts';
import { isBelow } from '../../ground/inside.ts';
import { whyUnfit } from '../../ground/secrets/stand-in.ts';
import type { KeptSecrets } from './kept-secrets.ts';

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
    .union([carrying, list(carrying)])
    .optional()
    .describe(
      'Where a request may carry it: "bearer", "basic", "header:X-Api-Key", "query:key", "path" or "body", or several of them. Default: ["bearer", "basic"].',
    ),
  variable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/)
    .optional()
    .describe(
      'The variable in which commands find its stand-in. Default: the name in upper case and _TOKEN.',
    ),
  username: z
    .string()
    .regex(/^[\w.@+-]+$/)
    .optional()
    .describe('The user that git logs in as beside it. Default: "x-access-token".'),
  from: z
    .union([z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })])
    .optional()
    .describe(
      'Its value: a variable of the server ({ "env": "GH_TOKEN" }) or a file ({ "file": "/run/secrets/gh" }). Default: what `sekisho secret set` has kept.',
    ),
});

export const secretsSchema = z.record(z.string().regex(/^[a-z][a-z\d-]{0,63}$/), secret);

/** A credential as the file names it. */
export interface SecretSettings extends SecretRule {
  readonly from: { readonly env: string } | { readonly file: string } | undefined;
}

/** Throws `ConfigError` if two share a variable, commands see a value, or they reach no host at all. */
export function secretsOf(
  named: z.input<typeof secretsSchema> = {},
  { cwd, roots }: { readonly cwd: string; readonly roots: readonly { readonly path: string }[] },
  { network, environment }: { readonly network: readonly string[]; readonly environment: readonly string[] },
): readonly SecretSettings[] {
  const all = Object.entries(named).map(
    ([name, { as = ['bearer', 'basic'], from, ...rest }]): SecretSettings => ({
      ...rest,
      name,
      username: rest.username ?? 'x-access-token',
      variable: rest.variable ?? `${name.toUpperCase().replaceAll('-', '_')}_TOKEN`,
      methods: rest.methods?.map((method) => method.toUpperCase()),
      as: (typeof as === 'string' ? [as] : as).map((place) => inLowerCase(place as Carrying)),
      from: from && 'file' in from ? { file: resolve(cwd, from.file) } : from,
    }),
  );
  for (const { name, variable } of all) {
    const other = all.find((each) => each.variable === variable && each.name !== name);
    if (other)
      throw new ConfigError(
        `secrets.${name} and secrets.${other.name} have the same variable, ${variable}: name another in one of them.`,
        `secrets.${name} と secrets.${other.name} の variable が同じ ${variable} です。どちらかを変更してください。`,
      );
  }
  for (const { name, from } of all) {
    const shown =
      from &&
      ('env' in from ? environment.includes(from.env) : roots.some(({ path }) => isBelow(from.file, path)));
    if (shown)
      throw new ConfigError(
        `secrets.${name}.from must be nothing that commands see: neither a file in a root nor a variable of process.environment.`,
        `secrets.${name}.from には、コマンドから見えるもの（ルート内のファイルや process.environment の変数）を指定できません。`,
      );
  }
  if (all.length > 0 && network.length === 0)
    throw new ConfigError(
      'secrets need hosts that commands can reach: list them in process.network.',
      'secrets を使うには、コマンドが接続できるホストを process.network に指定してください。',
    );
  return all;
}

function inLowerCase(place: Carrying): Carrying {
  return place.startsWith('header:') ? `header:${place.slice('header:'.length).toLowerCase()}` : place;
}

/** The values are looked up each time. One that cannot be told from other text counts as not set. */
export function openSecrets(
  settings: readonly SecretSettings[],
  environment: Readonly<Record<string, string | undefined>>,
  kept: Pick<KeptSecrets, 'read'>,
): Secrets {
  const sources = new Map(settings.map(({ name, from }) => [name, from]));
  return {
    rules: settings,
    valueOf(name) {
      const from = sources.get(name);
      const value =
        from === undefined
          ? kept.read().get(name)
          : 'env' in from
            ? environment[from.env]
            : firstLineOf(from.file);
      return value === undefined || whyUnfit(value) ? undefined : value;
    },
  };
}

function firstLineOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/, 1)[0];
  } catch {
    return undefined;
  }
}

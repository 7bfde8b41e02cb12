import { readFileSync } from 'node:fs';
import { badValue, ConfigError, oneOf } from '../contract/error.ts';
import { readSaid, type Said } from '../contract/text/text.ts';
import type { TraceSettings } from '../contract/trace.ts';
import { orElse } from '../ground/or-else.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultTimeoutMs = 10_000;
const longestTimeoutMs = 10 * 60_000;

/**
 * The destination of traces from OpenTelemetry's variables; undefined if they request none. Throws `ConfigError` for
 * invalid or unsupported values. Since these variables are often set for a whole machine, servers report that and
 * continue without traces.
 */
export function tracesOf(environment: Environment): TraceSettings | undefined {
  const read = reader(environment);
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter === 'none') return undefined;
  const url = endpointOf(read);
  if (!url) return undefined;
  if (exporter !== 'otlp')
    throw wrong('OTEL_TRACES_EXPORTER', exporter, 'must be otlp or none', 'otlp か none');
  return {
    url,
    headers: headersOf(read),
    timeoutMs: timeoutOf(read),
    encoding:
      chosen(read.own('PROTOCOL'), ['http/protobuf', 'http/json']) === 'http/json' ? 'json' : 'protobuf',
    compression: chosen(read.own('COMPRESSION'), ['none', 'gzip']) ?? 'none',
    sampler: samplerOf(read),
    tls: {
      ca: fileOf(read.own('CERTIFICATE')),
      cert: fileOf(read.own('CLIENT_CERTIFICATE')),
      key: fileOf(read.own('CLIENT_KEY')),
    },
  };
}

interface Named {
  readonly name: string;
  readonly value: string;
}

interface Reader {
  (name: string): string | undefined;
  /** A variable of the exporter: the one for traces takes precedence over the general one. */
  own(name: string): Named | undefined;
}

/** By the standard, an empty variable counts as unset. */
function reader(environment: Environment): Reader {
  const read = (name: string) => environment[name]?.trim() || undefined;
  return Object.assign(read, {
    own(name: string): Named | undefined {
      for (const full of [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`]) {
        const value = read(full);
        if (value !== undefined) return { name: full, value };
      }
      return undefined;
    },
  });
}

function endpointOf(read: Reader): string | undefined {
  const found = read.own('ENDPOINT');
  if (!found) return undefined;
  const isWhole = found.name.includes('_TRACES_');
  const url = URL.parse(isWhole ? found.value : `${found.value.replace(/\/$/, '')}/v1/traces`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    // Not quoted: it may contain a password.
    throw new ConfigError(
      `${found.name} must be an address that begins with http:// or https://.`,
      `${found.name} には http:// または https:// で始まるアドレスを指定してください。`,
    );
  }
  return url.href;
}

/** `key=value` pairs, the values percent-encoded. Both variables count; the one for traces takes precedence. */
function headersOf(read: Reader): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const name of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']) {
    for (const pair of (read(name) ?? '').split(',')) {
      if (pair.trim() === '') continue;
      const at = pair.indexOf('=');
      const key = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
      const value = orElse(() => decodeURIComponent(pair.slice(at + 1).trim()), undefined);
      // Not quoted: it is usually a secret.
      if (
        !/^[!#$%&'*+\-.^_`|~\w]+$/.test(key) ||
        value === undefined ||
        !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)
      ) {
        throw new ConfigError(
          `${name} must be a list such as "api-key=abc,tenant=a%20b".`,
          `${name} には "api-key=abc,tenant=a%20b" のような一覧を指定してください。`,
        );
      }
      headers.set(key, value);
    }
  }
  return Object.fromEntries(headers);
}

function timeoutOf(read: Reader): number {
  const found = read.own('TIMEOUT');
  if (!found) return defaultTimeoutMs;
  const ms = Number(found.value);
  if (!(ms >= 1 && ms <= longestTimeoutMs))
    throw wrong(
      found.name,
      found.value,
      `must be 1 to ${longestTimeoutMs} milliseconds`,
      `1～${longestTimeoutMs} ミリ秒`,
    );
  return Math.round(ms);
}

function samplerOf(read: Reader): TraceSettings['sampler'] {
  const name = 'OTEL_TRACES_SAMPLER';
  const value = read(name) ?? 'parentbased_always_on';
  const roots = ['always_on', 'always_off', 'traceidratio'] as const;
  const followsParent = value.startsWith('parentbased_');
  const root = roots.find((known) => value === known || value === `parentbased_${known}`);
  if (root === undefined)
    throw wrong(
      name,
      value,
      `must be one of ${roots.join(', ')}, optionally with parentbased_ before it`,
      `${roots.join('、')}（先頭に parentbased_ を付けてもよい）のいずれか`,
    );
  const argument = read('OTEL_TRACES_SAMPLER_ARG');
  const ratio = Number(argument ?? 1);
  if (root === 'traceidratio' && !(ratio >= 0 && ratio <= 1))
    throw wrong('OTEL_TRACES_SAMPLER_ARG', argument ?? '', 'must be a number from 0 to 1', '0～1 の数');
  return { root, ratio: root === 'traceidratio' ? ratio : 1, followsParent };
}

function fileOf(found: Named | undefined): string | undefined {
  if (!found) return undefined;
  try {
    return readFileSync(found.value, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${found.name} names a file that cannot be read.`,
      `${found.name} が指すファイルを読み込めません。`,
      { cause: error },
    );
  }
}

function chosen<T extends string>(found: Named | undefined, among: readonly T[]): T | undefined {
  return found && oneOf(found.name, found.value.slice(0, 100), among);
}

/** `rule` ends an English sentence; in Japanese it is the thing to specify. */
function wrong(name: string, value: string, ...rule: Said<never>): ConfigError {
  const { text } = readSaid(rule);
  return badValue(name, value.slice(0, 100), text.en, `には${text.ja}を指定してください`);
}

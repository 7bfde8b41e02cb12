import { readSaid, type Said, type Text, text } from './text/text.ts';

/** Every code that a reply can carry, with its meaning. `docs/errors.md` has a row for each; a test compares them. */
export const errorCodes = {
  not_found: 'Nothing has that name, or the caller may not know that it exists.',
  unauthenticated: 'The call needs an authenticated caller.',
  forbidden: 'The caller is not allowed to do this.',
  rate_limited: 'Too many calls; `details.retry_after_ms` says when to try again.',
  invalid_parameter: 'An argument is missing, of the wrong type or out of range; the message names it.',
  invalid_path: 'The path is not valid here: it is empty, absolute or too long, or contains `..` or NUL.',
  out_of_scope: 'The path is outside the folders that the server serves.',
  conflict: 'Something already exists there, or has changed since it was read.',
  unsupported_encoding: 'The file is not text in a supported encoding.',
  unsupported_type: 'This type of file, page or device is not supported.',
  too_large: 'The argument, file or reply exceeds a limit.',
  denied: 'A rule or a person said no.',
  approval_pending: 'A person must approve the call first; then send the same call again.',
  still_running: 'The call is still running; fetch its result with `call_result` and `details.call_id`.',
  timed_out: 'The call took too long and was stopped.',
  cancelled: 'The caller cancelled the call.',
  interrupted: 'The server ended during the call and was started again; how far the call got is unknown.',
  unavailable: 'Something that the tool needs is missing on this machine or does not respond.',
  storage_full: 'The disk is full or a quota is used up; the old content is unchanged.',
  upstream_error: 'A proxied server or a web server failed.',
  GUARD_VIOLATION: 'The pipeline breaks a rule; `reason` says which.',
  STAGE_FAILED: 'A stage of the pipeline failed.',
  TIMEOUT: 'The pipeline took too long and was stopped.',
  MISSING_BINARY: 'The pipeline needs a program that is not installed.',
  internal: 'Something failed inside the server; look up `details.audit_id` in the audit log.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof errorCodes;

export interface ToolErrorOptions {
  /** The next step that may work. */
  readonly suggestion?: Text | undefined;
  /** Facts for a program: `retry_after_ms`, line numbers, ids. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Foreign text (an errno, a database message). For the log only; it never reaches a reply. */
  readonly cause?: unknown;
  /** Replaces `{code, message, suggestion, details}` if a document fixes another shape for the error. */
  readonly wire?: Readonly<Record<string, unknown>> | undefined;
}

/** A failure that is reported to the caller, in words written for them. Everything else becomes `internal`. */
export class ToolError extends Error {
  readonly code: ErrorCode;
  readonly text: Text;
  readonly suggestion: Text | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly wire: Readonly<Record<string, unknown>> | undefined;

  /** After its words just the suggestion may follow, and the details after it. */
  constructor(code: ErrorCode, ...said: Said<Text | ToolErrorOptions, ToolErrorOptions['details']>) {
    const { text, more = {}, last } = readSaid(said);
    const options: ToolErrorOptions = 'en' in more ? { suggestion: more, details: last } : more;
    super(text.en, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.code = code;
    this.text = text;
    this.suggestion = options.suggestion;
    this.details = options.details;
    this.wire = options.wire;
  }

  /** The same failure, told in other words. */
  inWords(...said: Said<Text>): ToolError {
    const { text, more = this.suggestion } = readSaid(said);
    const { code, details, cause } = this;
    return new ToolError(code, text, { suggestion: more, details, cause });
  }
}

/** A mistake in the configuration: stops start-up with exit code 2, quoting the key and the bad value. */
export class ConfigError extends Error {
  readonly text: Text;

  constructor(...said: Said<ErrorOptions>) {
    const { text, more } = readSaid(said);
    super(text.en, more);
    this.name = 'ConfigError';
    this.text = text;
  }
}

/** The mistake of a setting or an option with an impossible value; `must` continues after its name. */
export function badValue(key: Text | string, value: unknown, ...must: Said<never>): ConfigError {
  const rule = readSaid(must).text;
  const { en, ja } = typeof key === 'string' ? text(key, key) : key;
  const got = JSON.stringify(value);
  return new ConfigError(`${en} ${rule.en}, got ${got}.`, `${ja} ${rule.ja}（指定値: ${got}）。`);
}

/** The value as one of these. Throws `ConfigError` that lists them. */
export function oneOf<T extends string>(key: Text | string, value: unknown, among: readonly T[]): T {
  const found = among.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw badValue(
    key,
    value,
    `must be one of ${among.join(', ')}`,
    `は ${among.join('、')} のいずれかを指定してください`,
  );
}

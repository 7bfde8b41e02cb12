import type { Text } from './text/text.ts';

/**
 * Every code that a reply can carry, with what it means. `docs/errors.md` has a row for each; a test compares
 * them.
 */
export const errorCodes = {
  not_found: 'Nothing has that name, or the caller may not know that it exists.',
  unauthenticated: 'The call needs a caller who has proved who they are.',
  forbidden: 'The caller is known, and may not do this.',
  rate_limited: 'Too many calls; `details.retry_after_ms` says when to try again.',
  invalid_parameter: 'An argument is missing, of the wrong type or out of range; the message names it.',
  invalid_path: 'The path cannot name a file here: empty, absolute, `..`, NUL or too long.',
  out_of_scope: 'The path lies outside the folders that this server was given.',
  conflict: 'Something is already there, or changed since it was read.',
  unsupported_encoding: 'The file is not text in an encoding that is read here.',
  unsupported_type: 'The kind of file, page or device is not served.',
  too_large: 'The argument, file or reply is over its limit.',
  denied: 'A rule or a person said no.',
  approval_pending: 'A person must agree first; send the same call again after they did.',
  still_running: 'The call goes on; `call_result` fetches its result by `details.call_id`.',
  timed_out: 'The work took longer than it was given and was stopped.',
  cancelled: 'The caller withdrew the call.',
  unavailable: 'Something that the tool needs is missing on this machine or does not answer.',
  storage_full: 'The disk is full or a quota is used up; the old content is still there.',
  upstream_error: 'A server behind this one, or a web server, failed.',
  GUARD_VIOLATION: 'A pipeline breaks a rule; `reason` names it.',
  STAGE_FAILED: 'A stage of a pipeline ended with an error.',
  TIMEOUT: 'A pipeline ran out of time.',
  MISSING_BINARY: 'A pipeline needs a program that is not installed.',
  internal: 'Something failed inside the server; the audit log has it under `details.audit_id`.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof errorCodes;

export interface ToolErrorOptions {
  /** The next step that may work. */
  readonly suggestion?: Text | undefined;
  /** Facts for a program: `retry_after_ms`, line numbers, ids. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Foreign words (an errno, a database message). For the log only; they never reach a reply. */
  readonly cause?: unknown;
  /** Replaces `{code, message, suggestion, details}` where a document fixes another shape for the error. */
  readonly wire?: Readonly<Record<string, unknown>> | undefined;
}

/** A failure that the caller is told about, in words written for them. Everything else becomes `internal`. */
export class ToolError extends Error {
  readonly code: ErrorCode;
  readonly text: Text;
  readonly suggestion: Text | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly wire: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, text: Text, options: ToolErrorOptions = {}) {
    super(text.en, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.code = code;
    this.text = text;
    this.suggestion = options.suggestion;
    this.details = options.details;
    this.wire = options.wire;
  }
}

/** A mistake in the configuration: stops start-up with exit code 2, quoting the key and the bad value. */
export class ConfigError extends Error {
  readonly text: Text;

  constructor(text: Text, options?: ErrorOptions) {
    super(text.en, options);
    this.name = 'ConfigError';
    this.text = text;
  }
}

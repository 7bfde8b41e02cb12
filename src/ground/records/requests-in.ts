import { type Text, text } from '../../contract/text/text.ts';

/** A request of a command that did more than read, as its call's record has it. */
export interface RecordedRequest {
  readonly kind: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Undefined if it was not sent. */
  readonly allowedBy?: string | undefined;
}

export function requestsIn(facts: Readonly<Record<string, unknown>> | undefined): readonly RecordedRequest[] {
  return Array.isArray(facts?.requests) ? facts.requests : [];
}

/** `POST api.example.com/items`. */
export function requestLine({ method, host, path }: RecordedRequest): string {
  return `${method} ${host}${path}`;
}

/** One line: the request, its kind and who let it through. */
export function told(request: RecordedRequest): Text {
  const { kind, allowedBy } = request;
  const line = `${requestLine(request)} (${kind})`;
  if (allowedBy === undefined) return text(`${line}, not sent`, `${line}  送信していません`);
  return text(`${line}, allowed by ${allowedBy}`, `${line}  承認: ${allowedBy}`);
}

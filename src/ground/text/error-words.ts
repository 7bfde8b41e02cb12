import type { Reply } from '../../contract/call.ts';

type Failure = Extract<Reply, { readonly kind: 'error' }>;

/** An error for readers without its data: the code, a pipeline's reason and the text. */
export function errorWords({ code, text, structured: { error } }: Failure): string {
  const reason = reasonOf(error);
  return `${code}${reason === undefined || reason === code ? '' : ` ${reason}`}: ${text}`;
}

/** The `reason` in an error's data: the pipeline's own code; undefined for other tools. */
export function reasonOf({ reason }: Failure['structured']['error']): string | undefined {
  return typeof reason === 'string' ? reason : undefined;
}

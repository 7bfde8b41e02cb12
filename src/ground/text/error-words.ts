import type { Reply } from '../../contract/call.ts';

type Failure = Extract<Reply, { readonly kind: 'error' }>;

/** An error as a reader without its data needs it: the code, a pipeline's reason, the words. */
export function errorWords({ code, text, structured: { error } }: Failure): string {
  const reason = reasonOf(error);
  return `${code}${reason === undefined || reason === code ? '' : ` ${reason}`}: ${text}`;
}

/** The `reason` among an error's data: the pipeline's own name for what went wrong; undefined for other tools. */
export function reasonOf({ reason }: Failure['structured']['error']): string | undefined {
  return typeof reason === 'string' ? reason : undefined;
}

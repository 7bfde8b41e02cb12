/** An answer in a host's place. */
export interface EdgeRefusal {
  readonly status: number;
  /** Some programs show nothing else. */
  readonly reason: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A refusal with the same sentence under each name by which programs look for one to show. */
export function refusalWith(sentence: string): EdgeRefusal {
  const words = `Sekisho: ${sentence}`;
  const body = { error: words, message: words, errors: [{ message: words, detail: words }] };
  return {
    status: 403,
    reason: words.replace(/[^\x20-\x7e]+/g, ' ').slice(0, maxReasonChars),
    headers: [['Content-Type', 'application/json']],
    body: `${JSON.stringify(body)}\n`,
  };
}

const maxReasonChars = 200;

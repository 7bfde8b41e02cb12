/** Shapes of credentials. Linear: no nested repetition. */
const shapes =
  /\b(?:sk-[\w-]{20,200}|gh[pousr]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,100}|xox[abprs]-[\w-]{10,200}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|npm_\w{36}|eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{10,1000})|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s]{0,10000}(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g;

/** The same value with what looks like a credential taken out of its strings. */
export function redactSecrets<T>(value: T): T {
  return redact(value) as T;
}

function redact(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(shapes, '[redacted]');
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redact(member)]));
}

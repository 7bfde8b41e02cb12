/** A copy of JSON that may be changed. Numbers that were kept as their digits are frozen objects, and shared. */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyJson(member)]));
}

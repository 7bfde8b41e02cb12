/** Deeper nesting in foreign JSON is only meant to exhaust code that walks it. */
const maxDepth = 200;

export function isTooDeep(value: unknown, left = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (left === 0) return true;
  for (const member of Object.values(value)) if (isTooDeep(member, left - 1)) return true;
  return false;
}

/** A number with its noun, e.g. "1 change", "2 entries". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Each nth of them, which is what CI has time for; all where `SEKISHO_HAMMER` is set, for changes of what they try. */
export function some<T>(nth: number, all: readonly T[]): readonly T[] {
  return all.filter((_, index) => process.env.SEKISHO_HAMMER !== undefined || index % nth === 0);
}

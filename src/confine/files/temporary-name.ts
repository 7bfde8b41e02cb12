const temporaryName = /^\.sekisho-[0-9a-f]{16}\.tmp$/;

/** Is this one of the names that a write uses until it is whole? Listings leave them out. */
export function isTemporaryName(name: string): boolean {
  return name.length === 29 && temporaryName.test(name);
}

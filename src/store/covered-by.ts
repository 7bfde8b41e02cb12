/** The first of the standing yeses that together cover every rule of a grant; nothing where one is missing. */
export function coveredBy<Row extends { readonly grant_text: string | null }>(
  rows: readonly Row[],
  grant: string,
): Row | undefined {
  const covering = (part: string) =>
    rows.find(({ grant_text: given }) => given !== null && partsOf(given).includes(part));
  const found = partsOf(grant).map(covering);
  return found.includes(undefined) ? undefined : found[0];
}

/** The rules that a standing yes is written as. A quote inside of one is escaped, so that this parts them surely. */
function partsOf(grant: string): readonly string[] {
  return grant.split(/(?<=\}) (?=\{"tool":)/);
}

/** One point of a document, in both languages: what it asks for, where it is done and which test shows it. */
export interface Point {
  readonly en: string;
  readonly ja: string;
  readonly code: string;
  readonly test: string;
  /** As it stands in the test's file. */
  readonly title: string;
  /** Why it is not, or not quite, as the document has it. */
  readonly differs?: { readonly en: string; readonly ja: string } | undefined;
}

export function point(
  en: string,
  ja: string,
  code: string,
  test: string,
  title: string,
  differs?: readonly [en: string, ja: string],
): Point {
  return {
    en,
    ja,
    code: `src/${code}`,
    test: `test/${test}.test.ts`,
    title,
    ...(differs && { differs: { en: differs[0], ja: differs[1] } }),
  };
}

/** The title of the test that runs the script, for points that only its calls show. */
export const byCalls = 'the page counts what the script finds on the built server';

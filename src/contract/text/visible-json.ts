/** A value as JSON in which nothing hides or reorders text; a parser still gets every character. */
export function encodeVisibly(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent));
}

/** The same for a string that is JSON already. */
export function visibleJson(json: string): string {
  return json.replace(
    /[\x7f-\x9f\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
        .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
        .join(''),
  );
}

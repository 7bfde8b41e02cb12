/** A label for comparison: `Préférence ` and `préférence` are equal. */
export function fold(label: string): string {
  return label
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** A label as it is compared: `Préférence ` and `préférence` are one. */
export function fold(label: string): string {
  return label
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

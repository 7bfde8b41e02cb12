/** A label as it is compared: `Préférence ` and `préférence` are one. */
export function fold(label: string): string {
  return label.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

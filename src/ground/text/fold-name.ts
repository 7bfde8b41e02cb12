/** A name as file systems compare it that ignore case, composition and invisible characters. Upper case first: ſ. */
export function foldName(name: string): string {
  // Most names are plain ASCII, which normalizing does not change.
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFC').replace(/\p{Cf}/gu, '');
  return visible.toUpperCase().toLowerCase().normalize('NFC');
}

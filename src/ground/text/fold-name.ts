/**
 * A name as file systems that ignore case, composition and invisible characters compare it. Upper case comes first: the
 * long s and the Kelvin sign are an s and a k to them.
 */
export function foldName(name: string): string {
  // Most names are plain ASCII, which normalizing does not change.
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFC').replace(/\p{Cf}/gu, '');
  return visible.toUpperCase().toLowerCase().normalize('NFC');
}

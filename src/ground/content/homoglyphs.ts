/** Letters of other scripts that look like ASCII, each followed by its lookalike. */
const drawnAlike = [
  'аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ӏl ѵv кk АA ВB ЕE КK МM НH ОO РP СC ТT ХX ЅS ІI ЈJ',
  'αa οo νv ρp ιi κk υu χx ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX օo սu հh ոn ցg զq ɡg ɑa ıi ǀl',
  '∕/ ⁄/ ⧸/ ‐- ‑- ‒- –- —- −- ˗- ‧. ·. ꓸ. ∶: ꞉:',
];

const ascii: ReadonlyMap<string, string> = new Map(
  drawnAlike.flatMap((row) => row.split(' ')).map((pair) => [pair[0] ?? '', pair.slice(1)]),
);

/** A text as it looks to a reader: wide letters and lookalikes as ASCII, invisible characters removed. */
export function foldHomoglyphs(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text;
  const seen = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return seen.replace(/[^\x00-\x7f]/gu, (letter) => ascii.get(letter) ?? letter);
}

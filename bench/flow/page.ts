const words = [
  'order',
  'meeting',
  'report',
  'please',
  'number',
  'tomorrow',
  'about',
  'budget',
  'north',
  'seven',
];

/** About 4 KiB of a page that nobody saw before. */
export function pageOf(number: number): string {
  const lines = Array.from({ length: 53 }, (_, line) =>
    [...words.slice(line % 7), `n${number}-${line}`, ...words.slice(0, 3)].join(' '),
  );
  return `${lines.join('\n')}\nsend it to someone${number}@far${number}.example, soon\n`;
}

/** A command in a rule: the program, then words that must follow; a list offers alternatives. */
export type CommandPattern = readonly (string | readonly string[])[];

/** A command as the judge found it; a word that is unknown before it runs is null. */
export type Argv = readonly (string | null)[];

/** Whether the rule may mean this command, for deny and ask: options may stand between, unknown words fit. */
export function mayFitCommand(pattern: CommandPattern, argv: Argv): boolean {
  const [head, ...rest] = pattern;
  const [name, ...words] = argv;
  if (
    head === undefined ||
    (typeof name === 'string' && !isOneOf(head, name) && !isOneOf(head, baseName(name)))
  ) {
    return false;
  }
  const options = rest.filter(isOption);
  if (!options.every((option) => words.some((word) => word === null || fitsOption(option, word))))
    return false;
  const wanted = rest.filter((part) => !isOption(part));
  // Indexes in `wanted` that the words so far can have led to.
  let places = new Set([0]);
  let mayBeValue = false;
  for (const word of words) {
    if (places.has(wanted.length)) return true;
    if (word === null) return true;
    if (word.startsWith('-')) {
      mayBeValue = word !== '--' && !word.includes('=');
      continue;
    }
    const next = new Set(mayBeValue ? places : []);
    for (const place of places) if (isOneOf(wanted[place] as string, word)) next.add(place + 1);
    places = next;
    mayBeValue = false;
    if (places.size === 0) return false;
  }
  return places.has(wanted.length);
}

/** Whether the rule surely means this command. For allow: words directly follow the program, all known. */
export function surelyFitsCommand(pattern: CommandPattern, argv: Argv): boolean {
  if (pattern.length === 0 || argv.includes(null)) return false;
  return pattern.every((part, at) => {
    const word = argv[at];
    return typeof word === 'string' && isOneOf(part, word);
  });
}

function isOneOf(part: string | readonly string[], word: string): boolean {
  return typeof part === 'string' ? part === word : part.includes(word);
}

function isOption(part: string | readonly string[]): boolean {
  return typeof part === 'string' ? part.startsWith('-') : part.every((word) => word.startsWith('-'));
}

function fitsOption(part: string | readonly string[], word: string): boolean {
  const names = typeof part === 'string' ? [part] : part;
  return names.some((name) => {
    if (word === name || word.startsWith(`${name}=`)) return true;
    const isLetter = /^-[^-]$/.test(name);
    if (isLetter) return /^-[^-]/.test(word) && word.includes(name.charAt(1));
    // GNU tools and git take abbreviations.
    return word.length > 3 && word.startsWith('--') && name.startsWith(word.replace(/=.*/s, ''));
  });
}

function baseName(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.(exe|com|cmd|bat)$/, '');
}

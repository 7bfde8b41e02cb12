/**
 * The runs of four English words or more in what was printed. Commands, names and values are the same in every language:
 * what stands in backquotes, quotation marks or after an equals sign, paths, flags, `<placeholders>` and JSON is left out.
 */
export function englishIn(printed: string): string[] {
  const words = printed
    // An example of a command line, or of a rule.
    .replace(/^ *sekisho .*$|^ {4}\S.*$/gm, ' · ')
    .replace(/`[^`]*`/g, ' · ')
    .replace(/"[^"\n]*"/g, ' · ')
    .replace(/'[^'\n]*'/g, ' · ')
    .replace(/[<[][^>\]\n]*[>\]]/g, ' · ')
    .replace(/\S*[/\\_=@:.{}]\S*/g, ' · ')
    .replace(/--?[a-z][\w-]*/gi, ' · ');
  return words.match(/[a-z][a-z']*(?:,? [a-z][a-z']*){3,}/gi) ?? [];
}

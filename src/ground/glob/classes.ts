/** The characters of `[:alpha:]` etc. in the C locale of shells. */
export const asciiClasses: ReadonlyMap<string, RegExp> = new Map([
  ['alpha', /[a-z]/i],
  ['digit', /\d/],
  ['alnum', /[a-z\d]/i],
  ['lower', /[a-z]/],
  ['upper', /[A-Z]/],
  ['word', /\w/],
  ['xdigit', /[\da-f]/i],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[\t-\r ]/],
]);

/** The same with the letters of every script, as in a UTF-8 locale. */
export const unicodeClasses: ReadonlyMap<string, RegExp> = new Map([
  ...asciiClasses,
  ['alpha', /\p{L}/u],
  ['alnum', /[\p{L}\d]/u],
  ['lower', /\p{Ll}/u],
  ['upper', /\p{Lu}/u],
  ['space', /\s/],
]);

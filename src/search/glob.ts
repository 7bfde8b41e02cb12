import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { type BraceSyntax, expandBraces, hasOpenBrace } from '../ground/glob/braces.ts';
import { asciiClasses, compileGlob, type GlobSyntax } from '../ground/glob/match.ts';

/**
 * Makes a matcher of paths: `*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `[!a]` are classes or
 * names with brackets, `{a,b}` are alternatives, `\` quotes the next character. Throws `invalid_parameter`.
 */
export function createGlob(
  pattern: string,
  field: 'pattern' | 'glob' = 'pattern',
): (path: string) => boolean {
  try {
    const matches = compileAll(pattern.normalize('NFC'));
    // Names on disk may be in decomposed form, which people do not type.
    return (path) => matches(/[^\x00-\x7f]/.test(path) ? path.normalize('NFC') : path);
  } catch (error) {
    if (!(error instanceof BadGlob)) throw error;
    const { en, ja } = error.problem;
    throw new ToolError('invalid_parameter', `The glob ${en}.`, `グロブ${ja}。`, {
      suggestion: error.suggestion,
      details: { field },
    });
  }
}

function compileAll(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/^(?:\.\/)+/, '');
  if (trimmed === '' || trimmed.startsWith('/') || trimmed.split('/').includes('..'))
    throw badGlob(text('must be relative and stay inside', 'は相対パスで、範囲の中でなければなりません'));
  if (trimmed.startsWith('!'))
    throw badGlob(
      text(
        'begins with !, but excluding files is not possible here',
        'が ! で始まっています。除外の指定はできません',
      ),
      text(
        'Say what to find, or write \\! for a name that begins with it.',
        '探すものを書くか、! で始まる名前なら \\! と書いてください。',
      ),
    );
  // A folder matches everything in it.
  const whole = trimmed.endsWith('/') ? `${trimmed}**` : trimmed;
  if (hasOpenBrace(whole, braces)) throw badGlob(text('has a { without its }', 'の { が閉じていません'));
  const alternatives: ((path: string) => boolean)[] = [];
  for (const alternative of expandBraces(whole, braces)) {
    if (alternatives.length === maxAlternatives)
      throw badGlob(
        text(`has more than ${maxAlternatives} alternatives`, `の選択肢が ${maxAlternatives} を超えています`),
      );
    // Leading and doubled slashes come from empty alternatives.
    const plain = alternative.replace(/\/{2,}/g, '/').replace(/^\//, '');
    alternatives.push(compileGlob(plain, syntax));
    // Route folders are named `[id]`, and patterns contain their names literally.
    const literal = literally(plain, /\\.|[[\]]/gs);
    if (literal !== plain) alternatives.push(compileGlob(literal, syntax));
  }
  // Folders of templates are named `{{name}}`, and patterns contain their names literally.
  if (/[{}]/.test(whole)) alternatives.push(compileGlob(literally(whole, /\\.|[[\]{}]/gs), syntax));
  const [only] = alternatives;
  return alternatives.length === 1 && only ? only : (path) => alternatives.some((matches) => matches(path));
}

function literally(pattern: string, signs: RegExp): string {
  return pattern.replace(signs, (part) => (part.length > 1 ? part : `\\${part}`));
}

const maxAlternatives = 200;
const braces: BraceSyntax = { sets: true, alone: true };
const syntax: GlobSyntax = {
  classes: asciiClasses,
  onOpenSet() {
    throw badGlob(text('has a [ without its ]', 'の [ が閉じていません'));
  },
};

class BadGlob extends Error {
  readonly problem: Text;
  readonly suggestion: Text;

  constructor(problem: Text, suggestion: Text) {
    super(problem.en);
    this.problem = problem;
    this.suggestion = suggestion;
  }
}

function badGlob(
  problem: Text,
  suggestion: Text = text('Write it like src/**/*.ts.', 'src/**/*.ts のように書いてください。'),
): BadGlob {
  return new BadGlob(problem, suggestion);
}

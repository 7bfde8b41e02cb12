import type { SyntaxNode, Word, WordPart } from 'unbash';

/**
 * Commands' words as a shell parts them: the parser ends a word before each process substitution, and to a shell
 * `--file=<(ls)` is one word. A number or a `{name}` before it, the parser takes for another thing; that stays apart.
 */
export function joinedWords<Part extends Spot>(parts: readonly Part[]): readonly (Part | Word)[] {
  if (!parts.some(isSubstituted)) return parts;
  const joined: (Part | Word)[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (isSubstituted(part) && before && isWord(before) && before.end === part.pos && isConstant(before))
      joined.splice(-1, 1, join(before, part));
    else joined.push(part);
  }
  return joined;
}

type Spot = Pick<SyntaxNode, 'type' | 'pos' | 'end'>;

function isWord(part: Spot): part is Word {
  return part.type === 'Word';
}

function isSubstituted(part: Spot): part is Word {
  return isWord(part) && part.text[1] === '(' && /^[<>]/.test(part.text) && part.parts?.length === 1;
}

function isConstant({ text, parts }: Word): boolean {
  if (/^\d+$/.test(text)) return false;
  return (parts ?? []).every(({ type }) => type === 'Literal' || type === 'SingleQuoted');
}

function join(first: Word, second: Word): Word {
  const { pos, end, text, value } = first;
  const literal: WordPart = { type: 'Literal', pos, end, text, value };
  return {
    type: 'Word',
    pos,
    end: second.end,
    text: text + second.text,
    value: value + second.value,
    parts: [...(first.parts ?? [literal]), ...(second.parts ?? [])],
  };
}

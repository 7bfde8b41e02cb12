import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { fold, frontMatterOf, isTagged, type Mark, tagsIn } from './note-marks.ts';

/** The conditions of a search: each must hold somewhere in the note. */
export interface Query {
  readonly conditions: readonly Condition[];
}

export interface Condition {
  /** Whether any line of this text could match. A quick check before lines are read one by one. */
  mayBeIn(text: Words): boolean;
  /** The position of the match in a line, or -1. */
  findIn(line: LineView): number;
}

export interface Words {
  readonly written: string;
  /** Computed on first use. */
  readonly folded: string;
}

export interface LineView extends Words {
  /** Inside fenced code. */
  readonly isFenced: boolean;
  readonly marks: readonly Mark[];
}

/**
 * Words match regardless of case and width; all must be in the note. `"a phrase"` stays together, `tag:recipe` is a tag
 * outside code, `status:done` or `status:"two words"` a field of the front matter or those literal words.
 */
export function parseTextQuery(query: string): Query {
  const terms = [...query.matchAll(/(?:([\p{L}_][\p{L}\p{N}_-]*):)?"([^"]+)"|(\S+)/gu)].map(
    ([, field, phrase = '', word]) =>
      word === undefined ? conditionOf(field, phrase) : conditionOf(...fieldAndValue(word)),
  );
  if (terms.length === 0)
    throw new ToolError('invalid_parameter', 'query is empty.', 'query が空です。', {
      suggestion: text('Give a word, e.g. "invoice".', '"請求書" などの語を指定してください。'),
      details: { field: 'query' },
    });
  return { conditions: terms };
}

/** A regular expression in RE2's syntax, matched line by line in linear time. */
export async function parseRegexQuery(query: string): Promise<Query> {
  const { RE2JS } = await import('re2js');
  try {
    const pattern = RE2JS.compile(query);
    // In a text of many lines `^` and `$` need a flag; patterns for the ends of the text would still differ.
    const quick = /\\[AzZ]|\(\?/.test(query) ? undefined : RE2JS.compile(query, RE2JS.MULTILINE);
    const condition: Condition = {
      mayBeIn: ({ written }) => quick === undefined || quick.matcher(written).find(),
      findIn({ written }) {
        const matcher = pattern.matcher(written);
        return matcher.find() ? matcher.start() : -1;
      },
    };
    return { conditions: [condition] };
  } catch (cause) {
    throw new ToolError(
      'invalid_parameter',
      'query is not a regular expression in RE2 syntax.',
      'query が RE2 構文の正規表現ではありません。',
      {
        suggestion: text(
          'Escape special characters, leave out look-around and back-references, or use mode "text".',
          '特殊文字をエスケープし、先読みや後方参照を除くか、mode "text" を使ってください。',
        ),
        details: { field: 'query' },
        cause,
      },
    );
  }
}

/** Views of a piece's lines; front matter only begins a note. `isFenced` gets each line, to track the note's code. */
export function viewsOf(
  lines: readonly string[],
  firstLine: number,
  isFenced: (line: string) => boolean,
): readonly LineView[] {
  const marks = new Map<number, Mark[]>();
  if (firstLine === 1) {
    for (const mark of frontMatterOf(lines).marks) {
      marks.set(mark.line, [...(marks.get(mark.line) ?? []), mark]);
    }
  }
  const none: readonly Mark[] = [];
  return lines.map(
    (written, at) => new FoldedLine(written, isFenced(written), marks.get(firstLine + at) ?? none),
  );
}

export function wordsOf(written: string): Words {
  return new FoldedLine(written, false, []);
}

class FoldedLine implements LineView {
  readonly written: string;
  readonly isFenced: boolean;
  readonly marks: readonly Mark[];
  #folded: string | undefined;

  constructor(written: string, isFenced: boolean, marks: readonly Mark[]) {
    this.written = written;
    this.isFenced = isFenced;
    this.marks = marks;
  }

  get folded(): string {
    this.#folded ??= fold(this.written);
    return this.#folded;
  }
}

/** `status:done` as field and value; any other word, or an address, alone. */
function fieldAndValue(word: string): [string | undefined, string] {
  const [, field, value = word] = /^([\p{L}_][\p{L}\p{N}_-]*):(?!\/\/)(.+)$/u.exec(word) ?? [];
  return [field, value];
}

function conditionOf(field: string | undefined, value: string): Condition {
  const wanted = fold(value);
  if (field === undefined) return containing(wanted);
  const name = fold(field);
  if (name === 'tag' || name === 'tags') return tagged(wanted.replace(/^#/, '').replace(/\/$/, ''));
  const words = containing(`${name}:${wanted}`);
  return {
    mayBeIn: ({ folded }) => folded.includes(wanted),
    findIn: (line) =>
      line.marks.some((mark) => mark.name === name && mark.value.includes(wanted)) ? 0 : words.findIn(line),
  };
}

function tagged(tag: string): Condition {
  return {
    mayBeIn: ({ folded }) => folded.includes(tag),
    findIn({ written, folded, isFenced, marks }) {
      if (!isFenced && tagsIn(written).some((each) => isTagged(each, tag))) return folded.indexOf(`#${tag}`);
      return marks.some((mark) => mark.name === 'tag' && isTagged(mark.value, tag)) ? 0 : -1;
    },
  };
}

function containing(words: string): Condition {
  return {
    mayBeIn: ({ folded }) => folded.includes(words),
    findIn: ({ folded }) => folded.indexOf(words),
  };
}

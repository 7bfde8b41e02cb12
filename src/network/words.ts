/** The words of an HTML page without a tree: for pages that are too deep, too large or too broken for a parser. */
export function bareWords(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open === -1) {
      parts.push(html.slice(at));
      break;
    }
    if (open > at) parts.push(html.slice(at, open));
    at = skipTag(html, open, parts);
  }
  return parts
    .join('')
    .replace(/&(?:amp|lt|gt|quot|nbsp|#39);/g, (entity) => entities.get(entity) ?? entity)
    .replace(/[ \t\f\r]+/g, ' ')
    .replace(/ ?\n(?: ?\n)+ ?/g, '\n\n')
    .trim();
}

export function titleOf(html: string): string | undefined {
  const open = /<title[^>]{0,200}>/i.exec(html);
  if (!open) return undefined;
  const from = open.index + open[0].length;
  const title = bareWords(html.slice(from, from + 1000).split(/<\/title/i, 1)[0] ?? '');
  return title === '' ? undefined : title;
}

/** Approximate nesting depth of elements, without those that need no end tag. */
export function nesting(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag, name = ''] of html.matchAll(/<\/?([a-zA-Z]+)/g)) {
    if (endsByItself.has(name.toLowerCase())) continue;
    depth = Math.max(0, depth + (tag[1] === '/' ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const endsByItself = new Set(
  'area base br col embed hr img input link meta source track wbr p li td th tr dt dd option thead tbody tfoot path'.split(
    ' ',
  ),
);

const entities = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&nbsp;', ' '],
  ['&#39;', "'"],
]);

const hidden = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);
const inline = new Set('a b i em strong span code u s sub sup small mark font'.split(' '));

/** Returns where text continues after the tag at `open`. */
function skipTag(html: string, open: number, parts: string[]): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open);
  const name = /^<\/?([a-zA-Z][a-zA-Z0-9]{0,20})/.exec(html.slice(open, open + 24))?.[1]?.toLowerCase();
  if (name === undefined && !/[!?/]/.test(html[open + 1] ?? '')) {
    parts.push('<');
    return open + 1;
  }
  const end = after(html, '>', open);
  if (name === undefined) return end;
  if (!inline.has(name)) parts.push('\n');
  if (!hidden.has(name) || html[open + 1] === '/') return end;
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = end;
  const found = closing.exec(html);
  // A script without an end hides all that follows, as in a browser.
  return found ? after(html, '>', found.index) : html.length;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

import { Readability } from '@mozilla/readability';
import type { ReadablePage } from '../../contract/capabilities/network.ts';
import { bareWords } from '../words.ts';
import { type HtmlDocument, type HtmlElement, parseHtml } from './dom.ts';
import { toMarkdown } from './markdown.ts';

/**
 * The article of a page as Markdown, with its metadata. If there is no article (an index, a form, documentation that
 * the algorithm takes for navigation), the main part of the page; with `full`, all of it. Left-out elements with text
 * are counted.
 */
export function readableHtml(html: string, url: string, full: boolean): ReadablePage {
  const document = pageOf(html, url);
  const regions = full ? [] : regionsOf(document);
  const whole = full ? allText(document) : mainText(document);
  const article = full ? undefined : readArticle(html, url);
  const root = article && article.chars >= whole.chars * minShare ? article.root : whole.root;
  const markdown = root ? toMarkdown(root, document.baseURI) : '';
  return {
    title: line(article?.title) ?? line(document.title),
    // The text of a page of frames, or of one that needs scripts, is elsewhere.
    text: markdown === '' ? instead(pageOf(html, url)) : markdown,
    description: meta(document, 'description', 'og:description') ?? line(article?.excerpt),
    site: line(article?.siteName) ?? meta(document, 'og:site_name'),
    author: line(article?.byline) ?? meta(document, 'author', 'article:author'),
    published: line(article?.publishedTime) ?? meta(document, 'article:published_time', 'date'),
    language: line(document.documentElement?.getAttribute('lang') ?? undefined) ?? line(article?.lang),
    ...(root && { leftOut: leftOutOf(regions, plainOf(root)) }),
  };
}

/** The page with streamed parts in their places: React sends `<div hidden id="S:0">` and a script that swaps it in. */
function pageOf(html: string, url: string): HtmlDocument {
  const document = parseHtml(html, url);
  for (const [, template = '', segment = ''] of html.matchAll(/\$RC\("([\w:-]{1,40})","([\w:-]{1,40})"/g)) {
    const at = document.querySelector(`template[id="${template}"]`);
    const came = document.querySelector(`[hidden][id="${segment}"]`);
    if (!at?.parentNode || !came) continue;
    // The placeholder ends at a comment.
    for (let next = at.nextSibling; next && next.nodeType !== commentNode; next = at.nextSibling)
      next.remove();
    came.removeAttribute('hidden');
    at.parentNode.insertBefore(came, at);
    at.remove();
  }
  for (const late of document.querySelectorAll('[hidden][id^="S:"]')) late.removeAttribute('hidden');
  return document;
}

const commentNode = 8;

/** The addresses of a page's frames, or else its text for readers without scripts. */
function instead(document: HtmlDocument): string {
  const frames = document
    .querySelectorAll('iframe[src], frame[src]')
    .slice(0, 50)
    .map((frame) => {
      const address = frame.getAttribute('src') ?? '';
      const title = line(frame.getAttribute('title') ?? frame.getAttribute('name') ?? undefined) ?? 'frame';
      return URL.canParse(address, document.baseURI)
        ? `- [${title.replace(/[[\]]/g, '')}](${new URL(address, document.baseURI).href})`
        : '';
    });
  const words = document
    .querySelectorAll('noscript, noframes')
    .map((one) => bareWords(one.textContent ?? ''));
  return [...frames, ...words].filter((words) => words !== '').join('\n');
}

interface Region {
  readonly kind: string;
  readonly words: string;
}

/** The parts of a page that a reader may miss, listed before anything is removed. */
function regionsOf(document: HtmlDocument): readonly Region[] {
  return document
    .querySelectorAll('aside, footer, form, nav, table, pre, iframe[src], p')
    .slice(0, maxRegions)
    .map((element) => ({
      kind: element.nodeName.toLowerCase(),
      words: plainOf(element).slice(0, comparedChars) || (element.nodeName === 'IFRAME' ? ' iframe' : ''),
    }))
    .filter(({ words }) => words !== '');
}

function leftOutOf(regions: readonly Region[], kept: string): Readonly<Record<string, number>> | undefined {
  const counts = new Map<string, number>();
  for (const { kind, words } of regions) {
    if (!kept.includes(words)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts.size === 0 ? undefined : Object.fromEntries(counts);
}

const maxRegions = 300;
const comparedChars = 60;

function plainOf(element: HtmlElement): string {
  return (element.textContent ?? '').replace(/\s+/g, '');
}

/** An article with a smaller share of the main text has lost what the reader came for. */
const minShare = 0.25;

/** Never part of an article; the algorithm keeps it if it finds little else. */
const navigation =
  'nav, dialog, template, [hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=contentinfo]';
const maxArticleElements = 12_000;

interface Article {
  readonly root: HtmlElement;
  readonly chars: number;
  readonly title?: string | null | undefined;
  readonly byline?: string | null | undefined;
  readonly excerpt?: string | null | undefined;
  readonly siteName?: string | null | undefined;
  readonly publishedTime?: string | null | undefined;
  readonly lang?: string | null | undefined;
}

function readArticle(html: string, url: string): Article | undefined {
  // It destroys its document, so it gets a separate one.
  const document = pageOf(html, url);
  for (const noise of document.querySelectorAll(navigation)) noise.remove();
  // Its time is quadratic for a page that is one long list; such a page is taken whole.
  if (document.querySelectorAll('*').length > maxArticleElements) return undefined;
  const found = new Readability<HtmlElement>(document as never, {
    charThreshold: 200,
    keepClasses: true,
    serializer: (node) => node as unknown as HtmlElement,
  }).parse();
  if (!found?.content) return undefined;
  return { ...found, root: found.content, chars: charsOf(found.textContent ?? '') };
}

function mainText(document: HtmlDocument): {
  readonly root: HtmlElement | undefined;
  readonly chars: number;
} {
  const root = document.querySelector('main, [role=main]') ?? document.body;
  if (!root) return { root: undefined, chars: 0 };
  for (const noise of root.querySelectorAll(notText)) noise.remove();
  return { root, chars: charsOf(root.textContent ?? '') };
}

function allText(document: HtmlDocument): ReturnType<typeof mainText> {
  const root = document.body ?? undefined;
  for (const noise of root?.querySelectorAll('script, style, template, svg, noscript') ?? []) noise.remove();
  return { root, chars: charsOf(root?.textContent ?? '') };
}

const notText = `${navigation}, script, style, noscript, svg, iframe, footer, aside, form`;

function charsOf(text: string): number {
  return text.replace(/\s+/g, ' ').length;
}

function meta(document: HtmlDocument, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const element = document.querySelector(`meta[name="${name}"], meta[property="${name}"]`);
    const content = line(element?.getAttribute('content') ?? undefined);
    if (content !== undefined) return content;
  }
  return undefined;
}

function line(words: string | null | undefined): string | undefined {
  const trimmed = words?.replace(/\s+/g, ' ').trim();
  return trimmed ? trimmed : undefined;
}

import { Readability } from '@mozilla/readability';
import type { ReadablePage } from '../../../contract/capabilities/network.ts';
import { type HtmlDocument, type HtmlElement, parseHtml } from './dom.ts';
import { toMarkdown } from './markdown.ts';

/**
 * The article of a page as Markdown, with what the page says of itself. Where there is no article (an index, a
 * form, a documentation page that the algorithm takes for navigation), the main part of the page.
 */
export function readableHtml(html: string, url: string): ReadablePage {
  const document = parseHtml(html, url);
  const whole = mainText(document);
  const article = readArticle(html, url);
  const root = article && article.chars >= whole.chars * minShare ? article.root : whole.root;
  return {
    title: line(article?.title) ?? line(document.title),
    text: root ? toMarkdown(root, document.baseURI) : '',
    description: meta(document, 'description', 'og:description') ?? line(article?.excerpt),
    site: line(article?.siteName) ?? meta(document, 'og:site_name'),
    author: line(article?.byline) ?? meta(document, 'author', 'article:author'),
    published: line(article?.publishedTime) ?? meta(document, 'article:published_time', 'date'),
    language: line(document.documentElement?.getAttribute('lang') ?? undefined) ?? line(article?.lang),
  };
}

/** An article that holds less of the main text than this has lost what the reader came for. */
const minShare = 0.25;

/** What no article holds; the algorithm keeps it where it finds little else. */
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
  // It tears its document to pieces, so it gets one of its own.
  const document = parseHtml(html, url);
  for (const noise of document.querySelectorAll(navigation)) noise.remove();
  // Its passes grow with the square of a page that is one long list; such a page is taken whole.
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

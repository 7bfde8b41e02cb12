import domino from 'domino';

/**
 * Parses HTML to a tree that runs no script and loads nothing. Adds to `domino` what Readability requires: the page's
 * address, and lists that are iterable and do not change with the tree.
 */
export function parseHtml(html: string, url: string): HtmlDocument {
  const document = domino.createDocument(html, true) as unknown as HtmlDocument;
  Object.defineProperties(document, {
    baseURI: { value: baseOf(document, url) },
    documentURI: { value: url },
  });
  if (document.documentElement) {
    steady(document);
    steady(document.documentElement);
    iterable(document.documentElement.getElementsByTagName('a'));
  }
  return document;
}

/** The part of the DOM that readers of pages use. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: HtmlElement | null;
  readonly childNodes: ArrayLike<HtmlNode>;
  readonly nextSibling: HtmlNode | null;
  insertBefore(node: HtmlNode, before: HtmlNode): void;
  remove(): void;
}

export interface HtmlElement extends HtmlNode {
  readonly className: string;
  readonly firstChild: HtmlNode | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): readonly HtmlElement[];
  getElementsByTagName(name: string): ArrayLike<HtmlElement>;
}

export interface HtmlDocument {
  readonly title: string;
  readonly baseURI: string;
  readonly body: HtmlElement | null;
  readonly documentElement: HtmlElement | null;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): readonly HtmlElement[];
}

function baseOf(document: HtmlDocument, url: string): string {
  const base = document.querySelector('base[href]')?.getAttribute('href');
  return base && URL.canParse(base, url) ? new URL(base, url).href : url;
}

/** Makes `querySelectorAll` of this kind of node return an array; done once, below domino's frozen prototype. */
function steady(node: HtmlDocument | HtmlElement): void {
  let kind: object = node;
  for (let above: object | null = node; above && !Object.hasOwn(above, 'querySelectorAll'); ) {
    kind = above;
    above = Object.getPrototypeOf(above) as object | null;
  }
  if (Object.hasOwn(kind, 'querySelectorAll')) return;
  const find: (this: unknown, selector: string) => ArrayLike<HtmlElement> = node.querySelectorAll;
  const value = function (this: unknown, selector: string) {
    return Array.from(find.call(this, selector));
  };
  Object.defineProperty(kind, 'querySelectorAll', { value });
}

/** Makes lists of this kind iterable, like a browser's. */
function iterable(list: ArrayLike<HtmlElement>): void {
  const kind = Object.getPrototypeOf(list) as object;
  if (Object.hasOwn(kind, Symbol.iterator)) return;
  const value = function* (this: { readonly length: number; item(index: number): HtmlElement }) {
    for (let index = 0; index < this.length; index++) yield this.item(index);
  };
  Object.defineProperty(kind, Symbol.iterator, { value });
}

import type { Buffer } from 'node:buffer';

export interface FetchedPage {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
  readonly fetchedAtMs: number;
  readonly fromCache: boolean;
}

/** A page as text: Markdown for HTML, pretty JSON, raw text, the words of a PDF. */
export interface ReadablePage {
  readonly title?: string | undefined;
  readonly text: string;
  readonly description?: string | undefined;
  readonly site?: string | undefined;
  readonly author?: string | undefined;
  readonly published?: string | undefined;
  readonly language?: string | undefined;
  readonly image?: { readonly data: string; readonly mimeType: string } | undefined;
}

/** The capability `web`: GET of public addresses, and what a page says. */
export interface Web {
  fetch(url: string, signal: AbortSignal): Promise<FetchedPage>;
  read(page: FetchedPage): Promise<ReadablePage>;
}

import type { Buffer } from 'node:buffer';

export interface FetchedPage {
  /** Where the redirects ended, without a fragment. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** The body was longer than the limit. */
  readonly truncated: boolean;
  readonly fetchedAtMs: number;
  readonly fromCache: boolean;
  /** The server asked for patience (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
  /** It asks for a proof that its reader is a browser. */
  readonly isChallenge?: boolean | undefined;
}

/** A page as text: Markdown for HTML, pretty JSON, raw text, the words of a PDF. All of it is a stranger's. */
export interface ReadablePage {
  readonly title?: string | undefined;
  readonly text: string;
  readonly description?: string | undefined;
  readonly site?: string | undefined;
  readonly author?: string | undefined;
  readonly published?: string | undefined;
  readonly language?: string | undefined;
  readonly image?: { readonly data: string; readonly mimeType: string } | undefined;
  /** The encoding that it was read in, where nothing says so. */
  readonly guessedEncoding?: string | undefined;
  /** How many elements of which kind, with words, are not in the text. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
  /** Scripts would put in what is missing here. */
  readonly isScripted?: boolean | undefined;
  /** Pages of a PDF, and how many of them hold no words. */
  readonly pdfPages?: { readonly all: number; readonly wordless: number } | undefined;
}

export interface ReadOptions {
  /** All that stands in the page, in place of its main part. */
  readonly full?: boolean | undefined;
}

export interface FetchOptions {
  /** Take a copy that is at most this old, whatever the server said of its life: to go on reading one page. */
  readonly reuseMs?: number | undefined;
}

/** The capability `web`: GET of public addresses, and what a page says. */
export interface Web {
  /**
   * Errors: `invalid_parameter` (not a URL that is fetched here), `denied` (its host, port or address is not
   * allowed), `upstream_error` (no such host, no answer, too many redirects), `timed_out`, `cancelled`.
   */
  fetch(url: string, signal: AbortSignal, options?: FetchOptions): Promise<FetchedPage>;
  /** Throws what a fetch would, as far as the address itself shows it. */
  check(url: string): void;
  /** Throws `unsupported_type` for what cannot be shown as text or image. */
  read(page: FetchedPage, signal?: AbortSignal, options?: ReadOptions): Promise<ReadablePage>;
}

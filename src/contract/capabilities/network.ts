export interface FetchedPage {
  /** The final address after redirects, without a fragment. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  readonly truncated: boolean;
  readonly fetchedAtMs: number;
  readonly fromCache: boolean;
  /** The delay that the server asked for (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
  /** The server asks for proof that a browser is reading. */
  readonly isChallenge?: boolean | undefined;
}

/** A page as text: Markdown for HTML, formatted JSON, raw text, the text of a PDF. None of it can be trusted. */
export interface ReadablePage {
  readonly title?: string | undefined;
  readonly text: string;
  readonly description?: string | undefined;
  readonly site?: string | undefined;
  readonly author?: string | undefined;
  readonly published?: string | undefined;
  readonly language?: string | undefined;
  readonly image?: { readonly data: string; readonly mimeType: string } | undefined;
  /** The encoding that was assumed, if the page declares none. */
  readonly guessedEncoding?: string | undefined;
  /** The number of elements with text that were left out, by kind. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
  /** Scripts would fill in content that is missing here. */
  readonly isScripted?: boolean | undefined;
  /** Pages of a PDF, and how many of them contain no text. */
  readonly pdfPages?: { readonly all: number; readonly wordless: number } | undefined;
}

export interface ReadOptions {
  /** Return the whole page, not only its main part. */
  readonly full?: boolean | undefined;
}

export interface FetchOptions {
  /** Accept a cached copy up to this age, whatever the server allows: for reading one page in parts. */
  readonly reuseMs?: number | undefined;
}

/** The capability `web`: GET of public addresses, and the text of pages. */
export interface Web {
  /**
   * Errors: `invalid_parameter` (not a URL that can be fetched), `denied` (its host, port or address is not allowed),
   * `upstream_error` (no such host, no answer, too many redirects), `timed_out`, `cancelled`.
   */
  fetch(url: string, signal: AbortSignal, options?: FetchOptions): Promise<FetchedPage>;
  /** Throws the errors of a fetch that the address alone can cause. */
  check(url: string): void;
  /** Throws `unsupported_type` if the page cannot be shown as text or image. */
  read(page: FetchedPage, signal?: AbortSignal, options?: ReadOptions): Promise<ReadablePage>;
}

import { isLocale, type Locale } from '../contract/text/text.ts';
import { cookieOf } from './cookies.ts';

/** The language of a page: the one chosen on it, else the browser's preference, else the server's. */
export function localeOf(request: Request, fallback: Locale): Locale {
  const chosen = new URL(request.url).searchParams.get('lang') ?? cookieOf(request, 'sekisho-lang');
  if (isLocale(chosen)) return chosen;
  const preferred = (request.headers.get('accept-language') ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(';q=');
      return {
        tag: tag.toLowerCase().slice(0, 2),
        quality: quality === undefined ? 1 : Number(quality) || 0,
      };
    })
    .filter(({ tag, quality }) => isLocale(tag) && quality > 0)
    .sort((one, other) => other.quality - one.quality)[0];
  return (preferred?.tag as Locale | undefined) ?? fallback;
}

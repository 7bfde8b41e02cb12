import type { Context } from 'hono';
import type { Locale } from '../../contract/text/text.ts';
import type { Words } from '../words/words.ts';
import type { AssetPaths, View } from './view.ts';

/** The state of a request in the routes. */
export interface PageContext {
  Bindings: { readonly address?: string | undefined };
  Variables: { view: View; secret: string };
}

/** The data that a page needs before a login. */
export interface Outside {
  readonly locale: Locale;
  readonly words: Words;
  readonly assets: AssetPaths;
}

/** Returns to the form's page, with a note on the result. */
export async function goBack(
  context: Context<PageContext>,
  note: keyof Words['notes'],
  otherwise = '/',
): Promise<Response> {
  const { from } = await context.req.parseBody();
  const path = typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : otherwise;
  const there = new URL(path, context.get('view').here);
  there.searchParams.set('note', note);
  return context.redirect(ownAddress(there), 303);
}

/** The path and query of one of our addresses. Two slashes at its front would name another host. */
export function ownAddress({ pathname, search }: URL): string {
  return pathname.replace(/^\/+/, '/') + search;
}

/** One field of a form as text; undefined if it is missing or a file. */
export async function fieldOf(context: Context<PageContext>, name: string): Promise<string | undefined> {
  const value = (await context.req.parseBody())[name];
  return typeof value === 'string' ? value.replace(/\r\n/g, '\n').replaceAll('\0', '') : undefined;
}

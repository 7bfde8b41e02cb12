import type { Context } from 'hono';
import type { Acts } from '../../contract/operator.ts';
import { problemPage } from '../login.ts';
import type { Words } from '../words/words.ts';
import type { Outside, View } from './view.ts';

/** The state of a request in the routes. */
export interface PageContext {
  Bindings: { readonly address?: string | undefined };
  Variables: {
    outside: Outside;
    view: View;
    /** The acts of the person that sent this request; each is recorded where it is performed. */
    acts: Acts;
  };
}

const problems = {
  elsewhere: 421,
  stale: 403,
  forbidden: 403,
  locked: 403,
  linkGone: 410,
  missing: 404,
  failed: 500,
} as const;

/** Answers with a page that says why there is none. */
export async function problem(context: Context<PageContext>, kind: keyof typeof problems): Promise<Response> {
  return context.html(await problemPage(context.get('outside'), kind), problems[kind]);
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

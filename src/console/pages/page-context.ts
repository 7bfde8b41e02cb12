import type { Context, Hono } from 'hono';
import type { Acts } from '../../contract/people/operator.ts';
import { problemPage, problems } from '../login.ts';
import type { notes } from '../words.ts';
import type { Html, Outside, View } from './view.ts';

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

/** Answers with a page that says why there is none. */
export async function problem(context: Context<PageContext>, kind: keyof typeof problems): Promise<Response> {
  return context.html(await problemPage(context.get('outside'), kind), problems[kind][0]);
}

/** Shows a page at an address; undefined: there is nothing at it. */
export function addPage<Path extends string>(
  app: Hono<PageContext>,
  path: Path,
  page: (view: View, context: Context<PageContext, Path>) => Promise<Html | undefined>,
): void {
  app.get(path, async (context) => {
    const shown = await page(context.get('view'), context);
    return shown === undefined ? context.notFound() : context.html(shown);
  });
}

/** Does what a form of a page orders, with a note on the result; undefined: there is nothing at this address. */
export function addAct<Path extends string>(
  app: Hono<PageContext>,
  path: Path,
  page: string,
  act: (acts: Acts, context: Context<PageContext, Path>) => Promise<keyof typeof notes | undefined>,
): void {
  app.post(path, async (context) => {
    const note = await act(context.get('acts'), context);
    return note === undefined ? context.notFound() : goBack(context, note, page);
  });
}

/** Returns to the form's page, with a note on the result. */
export async function goBack(
  context: Context<PageContext>,
  note: keyof typeof notes,
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

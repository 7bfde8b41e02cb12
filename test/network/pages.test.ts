import { afterAll, beforeAll, expect, test } from 'vitest';
import { pages } from './pages.ts';
import { openSite } from './site.ts';

let site: Awaited<ReturnType<typeof openSite>>;

beforeAll(async () => {
  site = await openSite((request, response) => {
    const page = pages.find(({ path }) => path === request.url);
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    const type = page.type ?? 'text/html; charset=utf-8';
    response.writeHead(200, { ...(type !== '' && { 'content-type': type }), ...page.headers }).end(page.body);
  });
});
afterAll(() => site.close());

test.each(pages.map((page) => [page.path, page] as const))(
  'the page %s reads as a person would read it',
  async (path, { title, has, lacks = [] }) => {
    const readable = await site.web.read(await site.get(path));
    if (title !== undefined) expect(readable.title).toContain(title);
    for (const words of has) expect(readable.text).toMatch(words);
    for (const words of lacks) expect(readable.text).not.toContain(words);
  },
);

test('a page says what it is: description, site, author, date, language', async () => {
  const readable = await site.web.read(await site.get('/news'));
  expect(readable).toMatchObject({
    description: 'A new harbour.',
    site: 'The Daily',
    author: 'Ann Writer',
    published: '2026-02-20T10:00:00Z',
    language: 'en',
  });
});

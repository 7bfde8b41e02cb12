import type { Hono } from 'hono';
import type { ConsoleDependencies } from '../dependencies.ts';
import { fieldOf, goBack, type PageContext } from '../pages/page-context.ts';
import { policyPage } from '../pages/policy.ts';
import { reviewPage, serversPage } from '../pages/servers.ts';

/** Proxied servers and policy. */
export function addOperatorRoutes(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  const { servers, policy } = dependencies;
  app.get('/servers', async (context) =>
    context.html(await serversPage((await servers?.()) ?? [], context.get('view'))),
  );

  app.get('/servers/:name', async (context) => {
    const name = context.req.param('name');
    if (!servers || !(await isKnown(name))) return context.notFound();
    return context.html(
      await reviewPage(name, await (await dependencies.operator()).review(name), context.get('view')),
    );
  });

  app.post('/servers/:name/approve', async (context) => {
    const name = context.req.param('name');
    if (!servers || !(await isKnown(name))) return context.notFound();
    const digest = (await fieldOf(context, 'digest')) ?? '';
    const approved = await context.get('acts').approveServer(name, digest);
    return goBack(context, approved ? 'pinned' : 'moved', '/servers');
  });

  app.post('/servers/:name/forget', async (context) => {
    const name = context.req.param('name');
    if (!servers || !(await isKnown(name))) return context.notFound();
    await context.get('acts').forgetServer(name);
    return goBack(context, 'unpinned', '/servers');
  });

  async function isKnown(name: string): Promise<boolean> {
    return (await servers?.())?.some((status) => status.name === name) ?? false;
  }

  app.get('/policy', async (context) =>
    context.html(await policyPage(await policy.explain(), { json: example }, context.get('view'))),
  );

  app.post('/policy', async (context) => {
    const json = (await fieldOf(context, 'call'))?.trim().slice(0, 20_000) ?? '';
    const trial = await policy.test(json);
    return context.html(await policyPage(await policy.explain(), { json, trial }, context.get('view')));
  });
}

const example = '{"tool": "shell_exec", "arguments": {"command": "git push origin main"}}';

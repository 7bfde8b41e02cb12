import type { Hono } from 'hono';
import type { ConsoleDependencies } from '../dependencies.ts';
import { addAct, addPage, fieldOf, type PageContext } from '../pages/page-context.ts';
import { policyPage } from '../pages/policy.ts';
import { reviewPage, serversPage } from '../pages/servers.ts';

/** Proxied servers and policy. */
export function addOperatorRoutes(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  const { servers, policy } = dependencies;
  addPage(app, '/servers', async (view) => serversPage((await servers?.()) ?? [], view));

  addPage(app, '/servers/:name', async (view, context) => {
    const name = context.req.param('name');
    if (!(await isKnown(name))) return undefined;
    return reviewPage(name, await (await dependencies.operator()).review(name), view);
  });

  addAct(app, '/servers/:name/approve', '/servers', async (acts, context) => {
    const name = context.req.param('name');
    if (!(await isKnown(name))) return undefined;
    return (await acts.approveServer(name, (await fieldOf(context, 'digest')) ?? '')) ? 'pinned' : 'moved';
  });

  addAct(app, '/servers/:name/forget', '/servers', async (acts, context) => {
    const name = context.req.param('name');
    if (!(await isKnown(name))) return undefined;
    await acts.forgetServer(name);
    return 'unpinned';
  });

  async function isKnown(name: string): Promise<boolean> {
    return (await servers?.())?.some((status) => status.name === name) ?? false;
  }

  addPage(app, '/policy', async (view) => policyPage(await policy.explain(), { json: example }, view));

  app.post('/policy', async (context) => {
    const json = (await fieldOf(context, 'call'))?.trim().slice(0, 20_000) ?? '';
    const trial = await policy.test(json);
    return context.html(await policyPage(await policy.explain(), { json, trial }, context.get('view')));
  });
}

const example = '{"tool": "shell_exec", "arguments": {"command": "git push origin main"}}';

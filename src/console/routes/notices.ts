import type { Hono } from 'hono';
import { cleanLine } from '../../contract/text/clean-text.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { noticesPage } from '../pages/notices.ts';
import { fieldOf, goBack, type PageContext } from '../pages/page-context.ts';

/** The destinations of notices and their deliveries; this browser as a destination. */
export function addNoticeRoutes(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  app.get('/notices', async (context) => {
    const notices = await dependencies.notices();
    const [devices, passkeys, log, pushKey] = await Promise.all([
      notices.devices(),
      (await dependencies.passkeys()).list(),
      notices.list(mostListed),
      dependencies.pushKey(),
    ]);
    return context.html(await noticesPage({ devices, passkeys, log, pushKey }, context.get('view')));
  });

  app.post('/notices/test/:channel', async (context) => {
    const tried = await context.get('acts').testNotice(context.req.param('channel'));
    if (!tried) return context.notFound();
    return goBack(context, tried.status === 'sent' ? 'noticeSent' : 'noticeFailed', '/notices');
  });

  app.post('/notices/devices', async (context) => {
    const field = async (name: string) => (await fieldOf(context, name))?.slice(0, 2000) ?? '';
    const endpoint = await field('endpoint');
    const keys = { p256dh: await field('p256dh'), auth: await field('auth') };
    const isKey = /^[\w-]{87}$/.test(keys.p256dh) && /^[\w-]{22}$/.test(keys.auth);
    if (!URL.canParse(endpoint) || !isKey) return goBack(context, 'noDevice', '/notices');
    await context.get('acts').addDevice({
      endpoint,
      keys,
      locale: context.get('view').locale,
      createdAtMs: dependencies.now(),
      label: cleanLine((await field('label')).slice(0, 80)),
    });
    return goBack(context, 'deviceAdded', '/notices');
  });

  app.post('/notices/devices/:id/remove', async (context) => {
    const removed = await context.get('acts').removeDevice(context.req.param('id'));
    return goBack(context, removed ? 'deviceRemoved' : 'gone', '/notices');
  });
}

const mostListed = 100;

import type { Hono } from 'hono';
import { cleanLine } from '../../contract/text/clean-text.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { noticesPage } from '../pages/notices.ts';
import { addAct, addPage, fieldOf, type PageContext } from '../pages/page-context.ts';

/** The destinations of notices and their deliveries; this browser as a destination. */
export function addNoticeRoutes(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  addPage(app, '/notices', async (view) => {
    const notices = await dependencies.notices();
    const [devices, passkeys, log, pushKey] = await Promise.all([
      notices.devices(),
      (await dependencies.passkeys()).list(),
      notices.list(mostListed),
      dependencies.pushKey(),
    ]);
    return noticesPage({ devices, passkeys, log, pushKey }, view);
  });

  addAct(app, '/notices/test/:channel', '/notices', async (acts, context) => {
    const tried = await acts.testNotice(context.req.param('channel'));
    return tried && (tried.status === 'sent' ? 'noticeSent' : 'noticeFailed');
  });

  addAct(app, '/notices/devices', '/notices', async (acts, context) => {
    const field = async (name: string) => (await fieldOf(context, name))?.slice(0, 2000) ?? '';
    const endpoint = await field('endpoint');
    const keys = { p256dh: await field('p256dh'), auth: await field('auth') };
    const isKey = /^[\w-]{87}$/.test(keys.p256dh) && /^[\w-]{22}$/.test(keys.auth);
    if (!URL.canParse(endpoint) || !isKey) return 'noDevice';
    await acts.addDevice({
      endpoint,
      keys,
      locale: context.get('view').locale,
      createdAtMs: dependencies.now(),
      label: cleanLine((await field('label')).slice(0, 80)),
    });
    return 'deviceAdded';
  });

  addAct(app, '/notices/devices/:id/remove', '/notices', async (acts, context) =>
    (await acts.removeDevice(context.req.param('id'))) ? 'deviceRemoved' : 'gone',
  );
}

const mostListed = 100;

import { browse } from '../support/issuer.ts';
import type { ServerWorld } from './world.ts';

export async function serverIn(world: ServerWorld, name = 'far') {
  const upstreams = await world.checkpoint.rooms.upstreams();
  const server = upstreams.servers.find(({ settings }) => settings.name === name);
  if (!server) throw new Error(`no server ${name}`);
  return { upstreams, server };
}

/** Starts it and says why it does not work; nothing if it does. */
export async function problemOf(world: ServerWorld, name = 'far'): Promise<string> {
  const { server } = await serverIn(world, name);
  try {
    await server.look(new AbortController().signal);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Logs in as a person with a browser would. `change` sees where the browser goes back to, and may send it elsewhere. */
export async function logIn(
  world: ServerWorld,
  {
    name = 'far',
    scope,
    change = (back: URL) => back,
  }: { name?: string; scope?: string; change?: (back: URL) => URL } = {},
): Promise<URL> {
  const { upstreams, server } = await serverIn(world, name);
  let opened: URL | undefined;
  let visit: Promise<unknown> = Promise.resolve();
  await upstreams.logIn(server, {
    scope,
    show(url) {
      opened = url;
      visit = browse(url, String(url.searchParams.get('redirect_uri'))).then((back) => fetch(change(back)));
      visit.catch(() => {});
    },
    signal: AbortSignal.timeout(20_000),
  });
  await visit;
  if (!opened) throw new Error('nothing was shown');
  return opened;
}

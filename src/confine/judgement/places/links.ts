import { posix } from 'node:path';

/** A symbolic link that a script makes: whoever goes through `from` is at `to`. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** The path, where links lead it. */
export function throughLinks(path: string, links: readonly Link[]): string {
  let led = path;
  for (let steps = 0; steps < links.length; steps++) {
    const link = links.find(({ from }) => led === from || led.startsWith(`${from}/`));
    if (!link) break;
    led = posix.join(link.to, led.slice(link.from.length));
  }
  return led;
}

import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { orElse } from '../../ground/or-else.ts';

/** A symbolic link on a path, by its resolved folder and name. */
export interface MetLink {
  readonly at: string;
  readonly to: string;
}

export interface Followed {
  readonly real: string;
  readonly links: readonly MetLink[];
}

/** Resolves a path link by link, as one may lead through a folder that commands write. Undefined: it leads nowhere. */
export function createFollower(): (path: string) => Followed | undefined {
  const linkTargets = new Map<string, string | undefined>();

  /** The target of a link, '' for another entry, undefined for a missing one. */
  function look(path: string): string | undefined {
    if (!linkTargets.has(path))
      linkTargets.set(
        path,
        orElse(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : ''), undefined),
      );
    return linkTargets.get(path);
  }

  return (path) => {
    const links: MetLink[] = [];
    let rest = names(path);
    let real = '';
    while (rest.length > 0) {
      const [name = '', ...further] = rest;
      const at = `${real}/${name}`;
      const to = look(at);
      if (to === undefined || links.length > mostLinks) return undefined;
      rest = further;
      if (to === '') {
        real = at;
        continue;
      }
      links.push({ at, to });
      rest = [...names(resolve(dirname(at), to)), ...further];
      real = '';
    }
    return { real: real || '/', links };
  };
}

function names(path: string): string[] {
  return resolve(path).split('/').filter(Boolean);
}

const mostLinks = 40;

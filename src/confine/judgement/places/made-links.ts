import { posix } from 'node:path';
import type { Scene, Use } from '../rules/rule.ts';
import { hasOption, optionsNamed, readOptions } from '../words/options.ts';
import type { Link } from './links.ts';
import { pathsOf } from './targets.ts';

/** The links that these commands make. Bounded: each could lead through all others. */
export function linksIn(uses: readonly Use[], scene: Scene): readonly Link[] {
  const linking = uses.filter(({ program }) => program === 'ln' || program === 'cp');
  return linking.flatMap((use) => linksOf(use, scene)).slice(0, maxLinks);
}

const maxLinks = 16;

function linksOf({ args }: Use, scene: Scene): readonly Link[] {
  const options = readOptions(args, { valued: 'St', longValued: ['suffix', 'target-directory'] });
  if (!hasOption(options, 's', ['symbolic', 'symbolic-link'])) return [];
  const folder = optionsNamed(options, 't', ['target-directory'])[0]?.value;
  const targets = options.operands.slice(0, folder || options.operands.length === 1 ? undefined : -1);
  const into = folder ?? (options.operands.length > 1 ? options.operands.at(-1) : undefined);
  const places = into ? pathsOf(into, scene) : scene.folders;
  return targets.flatMap((target) =>
    (places ?? []).flatMap((place) => {
      // A name that is a folder already gets the link inside of it: both are taken for links.
      const name = posix.basename(target.value ?? '');
      const inside = /^\.{0,2}$/.test(name) ? [] : [posix.join(place, name)];
      return [...(into ? [place] : []), ...inside].flatMap((from) =>
        (pathsOf(target, { ...scene, folders: [posix.dirname(from)] }) ?? []).map((to) => ({ from, to })),
      );
    }),
  );
}

import { lstatSync, readdirSync } from 'node:fs';

/** May anything in a folder and below have changed since that moment? So it may where there is too much to look at. */
export function changedBelow(folder: string, sinceMs: number): boolean {
  const waiting = [`${folder}/.`];
  let seen = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    seen += 1;
    if (!stat || stat.ctimeMs >= sinceMs || seen > mostSeen) return true;
    if (stat.isDirectory()) for (const name of namesIn(path)) waiting.push(`${path}/${name}`);
  }
  return false;
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // Not to be read by us, and so by no command of ours.
    return [];
  }
}

const mostSeen = 20_000;

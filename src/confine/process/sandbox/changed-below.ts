import { lstatSync, readdirSync } from 'node:fs';

/** May anything in a folder or below have changed since that time? Yes if there is too much to look at. */
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
    // Not readable for us, and so for none of our commands.
    return [];
  }
}

const mostSeen = 20_000;

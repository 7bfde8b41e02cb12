/** Whether this path is the console's. Checked for every request, so that others load nothing of it. */
export function isConsolePath(path: string): boolean {
  return path === '/' || pages.has(path.split('/', 2)[1] ?? '');
}

const pages: ReadonlySet<string> = new Set(
  `login logout live charts console-assets approvals calls sessions tasks history memories servers policy notices
   passkeys q sw.js manifest.webmanifest halt resume`.split(/\s+/),
);

/**
 * Hosts of the links in a text. Odd: an address that machines keep for themselves (metadata of clouds), or a number in
 * another spelling than numbers of hosts are written in, which only hides where it leads.
 */
export function hostsIn(text: string): readonly { readonly host: string; readonly isOdd: boolean }[] {
  return [...text.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'()]{1,2000}/gi)].flatMap(([link]) => {
    const web = link.replace(/^[a-z][a-z0-9+.-]*:/i, 'http:');
    if (!URL.canParse(web)) return [];
    const { hostname: host } = new URL(web);
    return [{ host, isOdd: isOwn(host) || isRespelled(web, host) }];
  });
}

function isOwn(host: string): boolean {
  return host.startsWith('169.254.') || host === 'metadata.google.internal' || /^\[::ffff:/i.test(host);
}

function isRespelled(link: string, host: string): boolean {
  const [, said = ''] = /^http:\/\/(?:[^/?#]*@)?([^/:?#]*)/i.exec(link) ?? [];
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && said !== host;
}

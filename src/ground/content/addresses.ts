/**
 * The hosts of all links in a text. `isOdd`: a link-local address (RFC 3927) or the metadata service of a cloud, or an
 * IPv4 address that is not written as four decimal numbers, which only hides where it leads.
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

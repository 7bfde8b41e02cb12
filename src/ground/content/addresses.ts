/**
 * The hosts of all links in a text. `isOdd`: a link-local address (RFC 3927), a cloud's metadata service, or an IPv4
 * address not written as four decimal numbers, which hides its target. `issue://123` has no host: after a custom scheme
 * comes a name or a number.
 */
export function hostsIn(text: string): readonly { readonly host: string; readonly isOdd: boolean }[] {
  return [...text.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'()]{1,2000}/gi)].flatMap(([link]) => {
    const web = link.replace(/^[a-z][a-z0-9+.-]*:/i, 'http:');
    if (!URL.canParse(web)) return [];
    const { hostname: host } = new URL(web);
    const isOdd = isOwn(host) || (connecting.test(link) && isRespelled(web, host));
    return [{ host, isOdd }];
  });
}

/** Schemes whose links lead to a host, also as the last part of one such as `git+https`. */
const connecting =
  /^(?:[a-z0-9.-]*\+)?(?:https?|wss?|[st]?ftps?|ssh|git|svn|gopher|dict|ldaps?|telnet|smb|cifs|nfs|rsync|rt[ms]ps?|mqtts?|amqps?|rediss?|postgres(?:ql)?|mysql|mariadb|mongodb|imaps?|smtps?|pop3s?|sips?|ircs?|rdp|vnc|socks[45]h?|tcp|udp|tls|grpcs?):/i;

function isOwn(host: string): boolean {
  return host.startsWith('169.254.') || host === 'metadata.google.internal' || /^\[::ffff:/i.test(host);
}

function isRespelled(link: string, host: string): boolean {
  const [, said = ''] = /^http:\/\/(?:[^/?#]*@)?([^/:?#]*)/i.exec(link) ?? [];
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && said !== host;
}

/** Cookies during the fetch of one page, for sites that set one and redirect back; dropped after it. */
export function createCookies() {
  const cookies: {
    readonly name: string;
    readonly value: string;
    readonly host: string;
    readonly wide: boolean;
  }[] = [];

  return {
    take(url: URL, lines: readonly string[] | undefined): void {
      for (const line of lines?.slice(0, maxCookies) ?? []) {
        const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
        const [, name, value] =
          /^([\w!#$%&'*+.^`|~-]{1,200})=([\x21-\x3a\x3c-\x7e]{0,4096})$/.exec(pair) ?? [];
        if (name === undefined || value === undefined || cookies.length >= maxCookies) continue;
        const domain = /^domain=\.?(.+)$/i.exec(attributes.find((part) => /^domain=/i.test(part)) ?? '')?.[1];
        const host = domain?.toLowerCase() ?? url.hostname;
        // For its own host, or a domain above it with at least two labels.
        if (host !== url.hostname && !(url.hostname.endsWith(`.${host}`) && host.includes('.'))) continue;
        const same = cookies.findIndex((cookie) => cookie.name === name && cookie.host === host);
        if (same !== -1) cookies.splice(same, 1);
        cookies.push({ name, value, host, wide: domain !== undefined });
      }
    },

    headerFor({ hostname }: URL): { readonly cookie?: string } {
      const sent = cookies.filter(
        ({ host, wide }) => host === hostname || (wide && hostname.endsWith(`.${host}`)),
      );
      return sent.length === 0
        ? {}
        : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') };
    },

    get any(): boolean {
      return cookies.length > 0;
    },
  };
}

const maxCookies = 20;

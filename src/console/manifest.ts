import { type Locale, text } from '../contract/text/text.ts';

/** The data with which a phone installs the console as an app (W3C Web Application Manifest). */
export function manifestOf(locale: Locale): object {
  const icon = (size: number) => ({
    src: `/console-assets/0/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose: 'any maskable',
  });
  return {
    id: '/',
    name: names[locale],
    short_name: 'Sekisho',
    lang: locale,
    start_url: '/approvals',
    scope: '/',
    display: 'standalone',
    background_color: '#fbfaf8',
    theme_color: '#b23a2e',
    icons: [icon(192), icon(512)],
  };
}

const names = text('Sekisho', 'Sekisho 関所');

import { holdsCredential } from '../../../ground/secrets/without-secrets.ts';
import { isBelowHost } from './hosts.ts';

/** Where the credentials of an issuer may go unasked: to the issuer. */
const homes: readonly { readonly form: RegExp; readonly hosts: readonly string[] }[] = [
  {
    form: /\b(?:gh[pousr]_|github_pat_)/,
    hosts: ['github.com', '*.github.com', '*.ghe.com', 'ghcr.io', '*.githubusercontent.com'],
  },
  { form: /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|oas)-/, hosts: ['gitlab.com', '*.gitlab.com', 'gitlab.*'] },
  { form: /\bnpm_/, hosts: ['registry.npmjs.org'] },
  { form: /\bpypi-/, hosts: ['pypi.org', '*.pypi.org'] },
  { form: /\bcio/, hosts: ['crates.io', '*.crates.io'] },
  { form: /\brubygems_/, hosts: ['rubygems.org', '*.rubygems.org'] },
  { form: /\bdckr_/, hosts: ['*.docker.io', '*.docker.com'] },
  { form: /\bAC/, hosts: ['api.twilio.com'] },
  {
    form: /\b(?:AIza|ya29\.|1\/\/0)/,
    hosts: ['*.googleapis.com', '*.pkg.dev', 'gcr.io', '*.gcr.io', '*.google.com'],
  },
  { form: /\bsk-ant-/, hosts: ['api.anthropic.com'] },
  { form: /\bsk-/, hosts: ['api.openai.com', 'openrouter.ai', 'api.deepseek.com'] },
  { form: /\bhf_/, hosts: ['huggingface.co', '*.huggingface.co', '*.hf.co'] },
  { form: /\bxox|\bxapp-/, hosts: ['slack.com', '*.slack.com'] },
  { form: /\b[spr]k_(?:live|test)_/, hosts: ['api.stripe.com'] },
  { form: /\d{8,10}:AA/, hosts: ['api.telegram.org'] },
  { form: /\b(?:SG\.)/, hosts: ['api.sendgrid.com'] },
  { form: /\blin_/, hosts: ['api.linear.app'] },
  { form: /\bntn_|\bsecret_/, hosts: ['api.notion.com'] },
  { form: /\bgsk_/, hosts: ['api.groq.com'] },
  { form: /\bsntry/, hosts: ['sentry.io', '*.sentry.io'] },
];

/** Whether a text has a credential in an issuer's form that this host did not issue. */
export function holdsForeignCredential(words: string, host: string): boolean {
  if (!holdsCredential(words)) return false;
  const at = homes.filter(({ form }) => form.test(words));
  return at.length === 0 || at.some(({ hosts }) => !hosts.some((home) => isBelowHost(host, home)));
}

/** Whether a parameter is a key that this host issued. */
export function isOwnKey(value: string, host: string): boolean {
  return /^[\w.-]{20,120}$/.test(value) && holdsCredential(value) && !holdsForeignCredential(value, host);
}

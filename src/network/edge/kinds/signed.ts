import { isBelowHost } from './hosts.ts';

interface Form {
  readonly name: RegExp;
  readonly value: RegExp;
  /** Undefined: any. */
  readonly hosts?: readonly string[];
}

/** Parameters that sign an address, by their exact form, so that no payload fits in except at hosts that issue long ones. */
const forms: readonly Form[] = [
  { name: /^x-(?:amz|goog)-algorithm$/i, value: /^(?:AWS4-HMAC|GOOG4-RSA|GOOG4-HMAC)-SHA256$/ },
  {
    name: /^x-(?:amz|goog)-credential$/i,
    value: /^[\w.@-]{10,80}\/\d{8}\/[\w-]{2,30}\/[a-z\d]{2,20}\/(?:aws4|goog4)_request$/,
  },
  { name: /^x-(?:amz|goog)-date$/i, value: /^\d{8}T\d{6}Z$/ },
  { name: /^x-(?:amz|goog)-expires$/i, value: /^\d{1,7}$/ },
  { name: /^x-(?:amz|goog)-signedheaders$/i, value: /^[a-z\d;-]{1,100}$/ },
  { name: /^x-amz-signature$/i, value: /^[\da-f]{64}$/ },
  {
    name: /^x-amz-security-token$/i,
    value: /^(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[\w+/=-]{40,1600}$/,
    hosts: ['*.amazonaws.com'],
  },
  { name: /^x-goog-signature$/i, value: /^[\da-f]{512}$/, hosts: ['storage.googleapis.com'] },
  // Azure.
  { name: /^(?:se|st|ske|skt)$/, value: /^\d{4}-\d\d-\d\d(?:T[\d:]{5,8}Z)?$/ },
  { name: /^(?:sp|sv|sr|spr|sks|skv)$/, value: /^[a-z\d,-]{1,12}$/ },
  { name: /^(?:skoid|sktid)$/, value: /^[\da-f-]{36}$/ },
  { name: /^sig$/, value: /^[A-Za-z\d+/]{43}=$/ },
  // Releases and images are at hosts whose owners alone read the log.
  {
    name: /^(?:jwt|policy|signature|key-pair-id|expires|verify|rscd|rsct|response-content-(?:disposition|type))$/i,
    value: /^[^\n]{1,1600}$/,
    hosts: [
      'objects.githubusercontent.com',
      'release-assets.githubusercontent.com',
      'production.cloudflare.docker.com',
      '*.hf.co',
    ],
  },
];

/** Whether a parameter only proves that somebody may read the address. */
export function isSigning([name, value]: readonly [string, string], host: string): boolean {
  return forms.some(
    (form) =>
      form.name.test(name) &&
      form.value.test(value) &&
      (form.hosts?.some((entry) => isBelowHost(host, entry)) ?? true),
  );
}

/** Credential formats of issuers: a fixed prefix, then a minimum of certain characters, which takes linear time. */
const forms: readonly string[] = [
  // Sekisho's own.
  'skt_[\\w-]{20,}|sess_[\\w-]{20,}',
  // Clouds and hosting.
  '(?:A3T[A-Z0-9]|A(?:KIA|SIA|GPA|IDA|ROA|IPA|NPA|NVA|BIA|CCA))[A-Z0-9]{16}(?:[\\s,:"\'|]{1,4}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?',
  'ABSK[A-Za-z0-9+/=]{80,}|bedrock-api-key-[\\w+/=-]{20,}|amzn\\.mws\\.[0-9a-f-]{36}|amzn1\\.oa2-cs\\.v1\\.[0-9a-f]{40,}',
  '(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9+/=]{40,}',
  'AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{30,}|4/0A[\\w-]{30,}|AQ\\.Ab8[\\w-]{30,}',
  '[\\w~.]{3}\\dQ~[\\w~.-]{31,34}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}',
  'LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{28,}|YC[A-Za-z0-9_-]{38}|AQVN[\\w-]{35,}|y0_[\\w-]{50,}|vk1\\.a\\.[\\w-]{40,}|SCW[A-Z0-9]{17}',
  'do[oprt]_v1_[0-9a-f]{40,}|DO00[A-Z0-9]{16}|cf(?:k|ut|at)_\\w{30,}|v1\\.0-[0-9a-f]{24}-[0-9a-f]{100,}|fm\\d_[\\w+/=,-]{40,}|fo1_[\\w-]{40,}',
  'HRKU-[\\w-]{30,}|vc[piark]_\\w{20,}|nf[pcoub]_\\w{30,}|sb_secret_[\\w-]{20,}|pscale_(?:tkn|pw|oauth)_[\\w.=-]{30,}',
  'dapi[0-9a-f]{32}(?:-\\d)?|[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}|pul-[0-9a-f]{40}|tskey-[a-z]{2,20}-\\w{8,}-\\w{16,}|dnkey-[\\w-]{30,}',
  'hv[sbr]\\.[\\w-]{24,}|dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{30,}|sha256~[\\w-]{43}|akcp[A-Za-z0-9]{60,}|AKCp[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{40,}',
  // Code, packages and builds.
  'gh[pousr]_\\w{20,}(?:[.-][\\w.-]{20,})?|github_pat_\\w{20,}|v1\\.[0-9a-f]{40}(?!\\w)',
  'gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct|wt)-[\\w.-]{20,}|GR1348941[\\w-]{20,}|AT(?:ATT3|CTT3|BB|TA)[\\w=.-]{24,}',
  'npm_[A-Za-z0-9]{36,}|pypi-[\\w-]{50,}|rubygems_[0-9a-f]{40,}|cio[A-Za-z0-9]{32}(?!\\w)|oy2[a-z0-9]{43}(?!\\w)|dckr_[op]at_[\\w-]{20,}|CLOJARS_[0-9a-z]{50,}',
  'sq[pua]_[0-9a-f]{40}|CCIP(?:AT|RJ)_\\w{20,}|slk_[0-9a-f]{40,}|snyk_\\w{30,}|rdme_\\w{50,}|dbt[usc]_[\\w=-]{30,}|pat\\.[\\w-]{22}\\.[0-9a-f]{24}\\.\\w{20}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|lip_\\w{20}|waka_[0-9a-f-]{36}',
  // Models.
  'sk-(?:ant-|proj-|svcacct-|admin-|or-v1-|lf-)[\\w-]{20,}|gsk_\\w{30,}|pplx-\\w{30,}|api_org_\\w{30,}|r8_\\w{30,}|nvapi-[\\w-]{40,}|tgp_v1_[\\w-]{30,}|csk-\\w{40,}|jina_\\w{40,}|lsv2_[ps][tk]_\\w{30,}|pcsk_\\w{40,}|tvly-[\\w-]{24,}|ctx7sk-[\\w-]{30,}|fc-[0-9a-f]{32}',
  // Payments and shops.
  '[spr]k_(?:live|test|prod)_\\w{10,}|whsec_[\\w+/=]{24,}|rzp_(?:live|test)_\\w{14,}|sq0[a-z]{3}-[\\w-]{22,}|EAAA[\\w-]{56,}|access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}|access-(?:sandbox|development|production)-[0-9a-f-]{36}|FLWSECK[_-][\\w-]{20,}|shp(?:at|ca|pa|ss|rt|tka|ua)_\\w{30,}|shippo_(?:live|test)_[0-9a-f]{40}|EZ[AT]K[0-9a-f]{32}\\w{20,}|duffel_(?:live|test)_[\\w-]{40,}',
  // Messages and mail.
  'xox[abeoprs](?:\\.xox[bp])?-[\\w-]{10,}|xapp-[\\w-]{10,}|xwfp-[\\w-]{10,}|(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/)[\\w/-]{20,}',
  '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}|(?<=discord(?:app)?\\.com/api/webhooks/)\\d{15,20}/[\\w-]{50,}|(?<=office\\.com/webhook(?:b2)?/)[\\w@/.-]{60,}|(?:bot)?\\d{8,10}:AA[\\w-]{32,}',
  'SG\\.[\\w-]{10,40}\\.[\\w-]{20,}|key-[0-9a-f]{32}|[0-9a-f]{32}-us\\d{1,2}(?!\\w)|x(?:keysib|smtpsib)-[0-9a-f]{40,}[\\w-]*|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|SK[0-9a-f]{32}(?!\\w)|AC[0-9a-f]{32}:[0-9a-f]{32}|EAA[A-Z][A-Za-z0-9]{40,}|A{20,22}(?=\\w{1,60}%)[\\w%]{60,}',
  // Work and data.
  'lin_(?:api|oauth)_\\w{30,}|ntn_\\w{40,}|[012]/\\d{16}(?:/\\d{16})?:[0-9a-f]{32}|fig[duo][a-z]?_[\\w-]{30,}|pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}|sl\\.(?:u\\.|B)?[\\w-]{60,}|pat-(?:na|eu|ap)\\d-[0-9a-f-]{36}|tfp_[\\w-]{40,}|CFPAT-[\\w-]{40,}|00[\\w-]{40}(?![\\w-])|fio-u-[\\w=-]{40,}|p8e-\\w{32}|CF[A-Z]{3}-\\w{40,}',
  'NR(?:AK|JS|II|AL|RA|IQ)-[\\w-]{20,}|[0-9a-f]{36}NRAL|sntry[su]_[\\w+/=.-]{40,}|gl(?:sa|c)_[\\w+/=]{32,}|eyJrIjoi[\\w+/=]{40,}|dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{40,}|essu_[\\w=]{40,}|(?:sdk|mob|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|ph[xr]_\\w{40,}|[ps]k\\.eyJ[\\w-]{20,}\\.[\\w-]{20,}|\\w{6}_\\w{29}_mmk',
  // Vaults, keys and wallets.
  'A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}|ops_eyJ[\\w+/=]{60,}|st\\.[0-9a-f-]{20,}\\.[0-9a-f]{20,}\\.?[0-9a-f]*|AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}|gAAAAA[\\w-]{60,}={0,2}',
  '[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?!\\w)|[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,}|S[A-D][A-Z2-7]{54}(?!\\w)|nsec1[02-9ac-hj-np-z]{58}|edsk[1-9A-HJ-NP-Za-km-z]{50,}|suiprivkey1[02-9ac-hj-np-z]{50,}',
  // Private keys in DER, and OpenSSH's.
  'MII[\\w+/]{3}IBA[\\w+/=]{60,}|MHcCAQEEI[\\w+/=]{60,}|MIG[HT]AgEAM[\\w+/=]{60,}|b3BlbnNzaC1rZXktdjE[\\w+/=]{60,}',
  // Tokens with readable content, and password hashes.
  '(?<![\\w-])eyJ[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]{10,}(?:\\.[\\w-]*){0,2}|v[1-4]\\.(?:local|public)\\.[\\w-]{40,}',
  '\\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2[id]{1,2}|scrypt|pbkdf2[\\w-]*|bcrypt-sha256)\\$[\\w./$=,+-]{20,}|(?<=pbkdf2_sha(?:1|256)\\$)\\d+\\$[\\w./$=+-]{30,}|\\{(?:SSHA|SHA|SMD5|CRYPT)\\d*\\}[A-Za-z0-9+/=$.]{20,}',
];

/** Names begin like this, too, so the rest must look random. */
const ambiguous =
  'sk-[\\w-]{20,}|sk_[0-9a-f]{40,}|pa-[\\w-]{40,}|[sb]\\.[A-Za-z0-9]{24}(?![\\w.])|(?:rnd|fw)_\\w{20,}|(?:sbp|napi|pnu|hf|bkua|bkpt|bkct|sgp|sgd|hcaik|hcbik|live|test|secret)_[A-Za-z0-9]{30,}|xai-\\w{40,}';

// A token may follow an escaped line break, which ends in a letter.
const start = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))';
const anyForm = new RegExp(`${start}(?:${forms.join('|')}|(?<unsure>${ambiguous}))`, 'g');

/** The text with `put` in place of each credential in an issuer's format. */
export function replaceTokens(words: string, put: string): string {
  return words.replace(anyForm, (found, ...rest) => {
    const { unsure } = rest.at(-1) as { readonly unsure?: string };
    return isSample(found) || (unsure !== undefined && !looksRandom(found)) ? found : put;
  });
}

/** Whether the text contains a credential in an issuer's format that is no sample. */
export function holdsToken(words: string): boolean {
  for (const [found] of words.matchAll(anyForm)) if (looksRandom(found) && !isSample(found)) return true;
  return false;
}

function looksRandom(found: string): boolean {
  return /\d/.test(found) && (/[A-Z]/.test(found) || /[a-z\d]{16}/.test(found));
}

/** `ghp_xxxxxxxx` stands for a token in documents. */
function isSample(found: string): boolean {
  return /[xX*.]{8,}$/.test(found);
}

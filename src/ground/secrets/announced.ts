/** Anything after these is a secret, except for samples and code. */
const passwordWord =
  '(?<!\\bno|/etc/)pass(?:word|wd|phrase|code)|(?<![A-Za-z])psk|pwd|(?<![A-Za-z])(?:pass|pw)|(?:store|key|db|user|admin|root|ssh|smtp|mail|ftp|http|server|login|become|master|require|sudo)[_-]?pass|(?<=[_-])(?:pass|pwd|pw|PASS|PWD)|passwort|kennwort|wachtwoord|mot de passe|contraseña|senha|пароль|パスワード|暗証番号|合言葉|密码|密碼|口令|비밀번호|암호';
/** After these comes a secret, or its name, its type, or a number. */
const secretWord =
  '(?:access|refresh|id|auth|api|bot|session|bearer|csrf|xsrf)?[_-]?token|secret|(?:api|access|secret|private|account|auth|signing|encryption|encrypt|master|shared|preshared|license|storage|service|webhook|admin|client|consumer|app|deploy|publish|write|read|ssh|ssl|tls|rsa|jwt|hmac|cookie|session|sas|subscription)[_-]?key(?:[_-]?(?:data|pem|base|base64|b64))?|SharedAccessKey|credentials?|passkey|(?<![A-Za-z])_?auth|connection[_-]?string|signature|(?<![A-Za-z])sig|mnemonic|seed[_-]phrase|recovery[_-]phrase|dsn|community|トークン|秘密鍵|API ?キー|シークレット';

const name = `(?:(?<strong>${passwordWord})|(?<weak>${secretWord}))`;
/** In quotes, including nested ones, or up to the end of a word. */
const value =
  '(?:\\\\"(?<inner>(?:[^"\\\\\\n]|\\\\\\\\.){1,2000})|"(?<double>(?:[^"\\\\\\n]|\\\\.){1,2000})|\'(?<single>[^\'\\n]{1,2000})|`(?<tick>[^`\\s]{1,2000})|(?<bare>(?:[^\\s"\'`<>,;&|(){}\\\\]|\\\\[^nrt\\n])(?:[^\\s"\'`<>&;,\\\\]|[&;,](?![\\w .-]{1,40}=|[\\s&;,"\'`]|$)|\\\\[^nrt\\n])*))';

/** `password=…`, `"apiKey": "…"`, `パスワードは…`, `パスワードは「…」`. */
const assigned = new RegExp(
  `(?<head>${name}(?:[_-]?\\d{1,2})?\\\\?["'\\]]{0,2}\\s{0,4}(?:=>|:=|:|={1,3}|＝|：|は(?=[!-~]{4}|[「『]))\\s{0,4})(?:[「『](?<single>[!-~]{4,200})[」』]|(?![「『])${value})`,
  'gi',
);
/** `define('DB_PASSWORD', '…')`, `headers.set("x-api-key", "…")`. */
const called = new RegExp(
  `(?<head>\\b(?:define|set\\w{0,12}|put\\w{0,8}|append|header)\\(\\s?["'][\\w-]{0,40}${name}["'],\\s{0,4})(?=["'\`])${value}`,
  'gi',
);
/** `--token …`, `-password …`, and `/p:…`. */
const option = new RegExp(`(?<head>(?<![\\w-])--?(?:[a-z]+[_-]){0,4}${name}(?:\\s{1,4}|=))${value}`, 'gi');
/** `the password is …`, `login me password …`, `IDENTIFIED BY '…'`. */
const told = new RegExp(
  `(?<head>(?:${name}\\s(?:is|was)\\s?:?\\s{0,2}|\\blogin\\s\\S{1,100}\\s{1,8}(?<netrc>password)\\s{1,8}|\\b(?<sql>identified (?:with \\S{1,40} )?by|with password|password for \\S{1,60}|encrypted password|password)\\s{1,3}(?=['"])))${value}`,
  'gi',
);
/** `requirepass …`, `setx API_KEY …`: without a separator, the value must not look like a word. */
const spaced = new RegExp(
  `(?<head>${name}["']?\\s{1,4}(?:for \\S{1,60} )?)(?<loose>[^\\s"'\`<>,;&|(){}\\\\]{6,500})`,
  'gi',
);
/** `<password>…</password>`, and a name beside its value: `name: DB_PASSWORD, value: …`. */
const marked = new RegExp(
  `(?<head><[\\w.:-]{0,40}${name}[\\w.:-]{0,20}>\\s{0,4}(?:<!\\[CDATA\\[)?)(?<bare>[^<>\\]]{3,2000})(?=<|\\]\\])`,
  'gi',
);
const beside = new RegExp(
  `(?<head>(?:name|key)["']?\\s?[:=]\\s?["']?[\\w.-]{0,60}${name}["']?[\\s,]{1,20}-?\\s?["']?value["']?\\s?[:=]\\s?)${value}`,
  'gi',
);
/** A whole line of a settings file: `password: two words`. */
const line =
  /^(?<head>[ \t-]{0,40}[\w.]{0,40}(?<strong>pass(?:word|wd|phrase)|mnemonic|seed[_ -]phrase|recovery[_ -]phrase|パスワード)[ \t]{0,4}(?:[:：][ \t]{1,8}|[ \t]=[ \t]{1,4}))(?<bare>[^\s"'{[#][^\n#"']{0,300})/gim;

/** A header's value, up to the end of its line or quotation. */
const headers =
  /(?<head>\b(?:proxy-)?authorization\\?["']?\s{0,3}[:=](?!=)\s{0,3}\\?["']?(?:digest|hawk|aws4-hmac-sha256)\s{1,4})(?<bare>[^\n\\]{2,4000})|(?<head>\b(?:proxy-)?authorization\\?["']?\s{0,3}[:=](?!=)\s{0,3}\\?["']?(?:(?:bearer|basic|token|digest|negotiate|ntlm|apikey|key|aws4-hmac-sha256|hawk|splunk|bot|genie\w*)\s{1,4})?)(?<bare>[^\s"'`\\=][^\n"'`\\]{2,4000})|(?<cookies>\b(?:set-)?cookie2?\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?<jar>[^\s"'\\=]{1,200}=[^\n"'\\]{1,8000})|(?<scheme>\b(?:bearer|basic)\s{1,4})(?<sent>[\w.~+/=-]{8,4000})/gi;

/** Option letters that mean a secret only in certain programs. */
const programs =
  /(?<head>\b(?:(?:mysql\w{0,8}|mariadb[\w-]{0,12})\s(?:[^\n|;&]{0,200}\s)?-p|sshpass\s{1,4}-p\s{0,4}|(?:docker|podman|nerdctl|buildah|helm|oc|az)\s(?:[^\n|;&]{0,60}\s)?login\s(?:[^\n|;&]{0,200}\s)?-p\s{1,4}|(?:mongosh?|mongodump|mongorestore|cqlsh|influx)\s(?:[^\n|;&]{0,200}\s)?-p\s{1,4}|redis-cli\s(?:[^\n|;&]{0,200}\s)?-a\s{1,4}|ldap\w{2,10}\s(?:[^\n|;&]{0,200}\s)?-w\s{1,4}|(?:sqlcmd|bcp|osql|ipmitool)\s(?:[^\n|;&]{0,200}\s)?-P\s{0,4}|(?:7z\w{0,2}|unrar|rar)\s(?:[^\n|;&]{0,200}\s)?-p|(?:zip|unzip)\s(?:[^\n|;&]{0,200}\s)?-P\s{1,4}|htpasswd\s(?:[^\n|;&]{0,200}\s)?-[a-zA-Z]{0,3}b[a-zA-Z]{0,3}\s\S{1,100}\s\S{1,64}\s|net\suse\s[^\n]{0,200}\/user:\S{1,60}\s|snmp\w{2,10}\s(?:[^\n|;&]{0,200}\s)?-[cAX]\s{1,4}|smbclient\s[^\n|;&]{0,200}-U\s?[^\s%]{1,60}%|xfreerdp\s[^\n|;&]{0,200}\/p:|openssl\s[^\n|;&]{0,200}\spass:|lftp\s[^\n|;&]{0,100}-u\s[^\s,]{1,60},|net\suser\s\S{1,60}\s(?!\/)|add_user\s\S{1,60}\s|\b(?:aws\sconfigure|(?:npm|pnpm|yarn|gcloud)\sconfig)\sset\s\S{0,100}(?:secret|token|passw|_auth|_key)\S{0,40}\s|snmp-server\scommunity\s|wpa_passphrase\s\S{1,60}\s|ConvertTo-SecureString\s(?:-String\s)?|add-(?:generic|internet)-password\s[^\n|;&]{0,200}-w\s|(?:kinit|secret-tool)\s[^\n|;&]{0,200}<<<\s?|openssl\senc\s[^\n|;&]{0,200}-k\s{1,4}))(?!-)(?:"(?<double>[^"\n]{1,500})|'(?<single>[^'\n]{1,500})|(?<bare>[^\s"'$][^\s"']{2,500}))|(?<piped>\b(?:echo|printf)\s(?:-\w{1,2}\s|%s\s)?["']?)(?<word>[^\s"'$|]{4,200})(?=["']?\s{0,2}\|\s{0,2}(?:sudo\s(?:-\w+\s)*-S\b|\S{1,30}\slogin\b|passwd\b|chpasswd\b|kinit\b|gpg\b))/g;

/** `curl -u user:password`; `docker run -u 1000:1000` names a group. */
const userOption =
  /(?<head>(?<![\w-])(?:-u|-U|--user|--proxy-user|--http-user|--auth|-a)[\s=]{0,4})(?:"[^\s:"'@/]{1,64}:(?<double>[^"\n]{1,500})|'[^\s:"'@/]{1,64}:(?<single>[^'\n]{1,500})|[^\s:"'@/$]{1,64}:(?!\d{1,10}(?:[\s"'`)]|$))(?<bare>[^\s"'$%][^\s"']{1,500}))|(?<both>\s-u\s?[^\s-]\S{0,60}\s{1,4}-[pP]\s{0,4}["']?)(?<loose>[^\s"'$]{6,200})|(?<biscuit>(?<![\w-])(?:-b|--cookie)[\s=]{1,4}["']?[\w.-]{1,60}=)(?<sent>[^\s"']{8,4000})/g;

/** The password of an address, whatever its characters, and a credential in place of the user. */
const address =
  /(?<head>\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'<>?#]{0,128}:)(?!\d{1,5}(?:[/?#]|$)|x-oauth-basic@)(?<bare>[^\s"'<>`]{1,300})(?=@[\w[%{])|(?<alone>\b[a-z][a-z0-9+.-]{1,30}:\/\/)(?<user>[\w.~-]{16,300})(?=:?(?:x-oauth-basic)?@[\w[])/g;

/** Query parameters that sign or open an address: `?sig=…`, `&X-Amz-Signature=…`, `&code=…`. */
const query =
  /(?<head>[?&#;](?:amp;)?(?:sig|se?ignature|x-(?:amz|goog|ms)-(?:signature|security-token|credential)|[\w-]{0,20}token|[\w-]{0,20}key|auth|code|sid|session(?:id)?|ticket|assertion|otp|invite|magic|state_token)=)(?<bare>[^\s"'&<>#]{12,4000})/gi;

/** Numbers of a key in JSON or XML, and lines of programs' own files. */
const parts =
  /(?<head>"(?:d|p|q|dp|dq|qi|k)"\s?:\s?")(?<bare>[\w-]{20,2000})(?=")|(?<tag><(?:D|P|Q|DP|DQ|InverseQ)>)(?<number>[A-Za-z0-9+/=]{20,2000})(?=<)|(?<store>"auth"\s?:\s?")(?<login>[A-Za-z0-9+/]{8,2000}={0,2})(?=")|(?<pgpass>^[\w.*-]{1,100}:(?:\d{2,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:)(?<last>\S{3,200})$|(?<cisco>\b(?:secret|password)\s[05789]\s)(?<coded>\S{4,200})|(?<otp>\b(?:one[- ]time (?:code|password)|verification code|otp|2fa code|security code|(?<![a-z])pin(?: code)?)\s?(?:is|:|=)\s?)(?<digits>\d{4,8}\b)|(?<prose>\bseed phrase[:\s]{1,3}|\bmnemonic[:=\s"']{1,4}|\brecovery phrase[:\s]{1,3})(?<seed>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})/gim;

interface Groups {
  readonly [group: string]: string | undefined;
}

/** Every name contains one of these. */
const anyName =
  /pas|pw|psk|tok|sec|key|cred|auth|sig|string|mnem|phrase|dsn|comm|code|otp|identified|kennw|wachtw|contras|senha|парол|[パ暗合ト秘シキ密口비암]/i;
/** The kinds in search order, with a quick test for each. */
const named = [
  { needs: /value/i, finder: beside },
  { needs: /</, finder: marked },
  { needs: /["'],/, finder: called },
  { needs: /-/, finder: option },
  { needs: /[:=：＝は]/, finder: line },
  { needs: /[:=：＝は]/, finder: assigned },
  { needs: /\s/, finder: spaced },
  { needs: /\s(?:is|was|password|by|for)\s/i, finder: told },
];
const unnamed = [
  { needs: /authorization|cookie|bearer|basic/i, finder: headers },
  { needs: /:\/\//, finder: address },
  { needs: /[?&#;]/, finder: query },
  {
    needs: /\s[-/][A-Za-z]|sudo|login|passwd|kinit|gpg|add_user|\sset\s|community|wpa_p|SecureString|net\s/,
    finder: programs,
  },
  { needs: /-(?:u|U|a|b)|-user|--auth|--cookie/, finder: userOption },
];
const written = { needs: /["<]|:[^:\n]*:|secret|password|phrase|mnemonic|code|otp|pin/i, finder: parts };

/** The text with `put` in place of each value that a name, an option, a header or an address announces as a secret. */
export function replaceAnnounced(words: string, put: string): string {
  let rest = words;
  const kinds = anyName.test(words) ? [...unnamed, ...named, written] : [...unnamed, written];
  for (const { needs, finder } of kinds) {
    if (!needs.test(rest)) continue;
    rest = rest.replace(finder, (found, ...more) => {
      const groups = more.at(-1) as Groups;
      const secret = secretIn(groups, finder);
      if (secret === undefined || goesOn(groups, rest.slice((more.at(-3) as number) + found.length, 40)))
        return found;
      const at = found.lastIndexOf(secret);
      return `${found.slice(0, at)}${put}${found.slice(at + secret.length)}`;
    });
  }
  return rest;
}

/** Whether the match is part of a sentence with a colon: "There is no password: anyone may enter". */
function goesOn({ head, bare }: Groups, after: string): boolean {
  return (
    bare !== undefined && head?.endsWith(': ') === true && /^[a-z]+$/.test(bare) && /^ [a-z]/.test(after)
  );
}

/** The secret value of a match; undefined if it is none. */
function secretIn(groups: Groups, finder: RegExp): string | undefined {
  const { jar, number, login, last, coded, digits, seed, word } = groups;
  const sure = jar ?? number ?? login ?? last ?? coded ?? digits ?? seed ?? word;
  if (sure !== undefined) return sure;
  const quoted = groups.inner ?? groups.double ?? groups.single ?? groups.tick;
  const found = quoted ?? groups.bare ?? groups.loose ?? groups.user ?? groups.sent;
  return found !== undefined && !isSample(found) && isSecret(found, quoted !== undefined, groups, finder)
    ? found
    : undefined;
}

function isSecret(found: string, isQuoted: boolean, groups: Groups, finder: RegExp): boolean {
  if (groups.loose !== undefined) return isLikely(found, groups.weak !== undefined);
  if (groups.user !== undefined) return isMixed(found);
  if (groups.sent !== undefined) return isMixed(found) && /[\d=]/.test(found);
  if (finder === query || groups.weak !== undefined) return isRandom(found, isQuoted);
  if (finder === headers) return !plainWords.test(found);
  if (groups.netrc !== undefined || (groups.strong === undefined && groups.sql === undefined)) return true;
  const isWeighed = (finder === told && !isQuoted) || /==\s*$/.test(groups.head ?? '');
  return isWeighed ? isMixed(found) : isPasswordValue(found, isQuoted);
}

/** A placeholder in documents, or a reference to the value. */
function isSample(found: string): boolean {
  return (
    /^(?:\[redacted\]|\$[\w(]|\$$|%[A-Za-z_]{2,}%|%\(?[a-z]|\{\{|#\{|<|@[A-Z_]+@$|\/run\/secrets\/|\.\.\.|…|-$|env:|file:)|\$[{(]/.test(
      found,
    ) ||
    /^(?:[xX*•●._-]{3,}|0{4,})$/.test(found) ||
    /^(?:your|my|the|an?|some|insert|enter|put|example|sample|dummy|placeholder|redacted|masked|hidden|secret)[-_ ]?(?:[a-z]+[-_ ]){0,4}(?:password|passwd|pass|token|secret|key|here|value|phrase|credentials?)?$/i.test(
      found,
    )
  );
}

const plainWords = /^(?:[a-z]{1,14}[ ,.;:]+){0,11}[a-z]{1,14}[.;:]?$/i;
/** Types, states, and words used instead of a secret. */
const wordsOfCode =
  /^(?:str(?:ing)?|text|obligat\w+|erforderlich|number|int(?:eger)?|bool(?:ean)?|any|unknown|object|array|bytes?|char|varchar|optional|required|true|false|yes|no|on|off|null|nil|none|undefined|empty|hidden|prompt|stdin|files?|compat|sss|ldap|systemd|input|field|type|Option|SecretStr|Optional|and|or|is|for|the|not|are|must|should|can|was|will|to|in|of|from|with|when|if|a|an|it|has|have|unset|set|missing|invalid|valid|wrong|incorrect|expired|changed|reset|ok|ask|auto|default|disabled|enabled|never|always|same|new|old|this|that|self|await|async|void|password|passwd|pass|token|secret|ALL)(?:[?;,.!:)\]]+|\b\s.*)?$/i;
/** A call, or a member of an object that usually contains settings. */
const code =
  /^(?:await |new |return )?[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*(?:\(|\[|\{)|^(?:process|os|env|config|settings|self|this|req|request|args|options|opts|params|body|user|data|ctx|context|secrets|vars|var|local|props|cfg|conf|input|form|event|app|credentials|creds|state|module|output|each|values|client|account|row|item|res|response|result|z|t|schema|sys|System|Deno|Bun|import|std|django|flask|core|models|types|typing)(?:\.|::|->|\?\.)[\w$]/;

function isPasswordValue(found: string, isQuoted: boolean): boolean {
  if (found.length < 3 || wordsOfCode.test(found) || !/[!-~]/.test(found)) return false;
  return isQuoted || !(code.test(found) || /^[-+]?\d{1,2}$|^[[({/\\]/.test(found));
}

/** Whether it is no name, type, number or sentence. */
function isRandom(whole: string, isQuoted: boolean): boolean {
  const found = whole.replace(/[):;,.\]]+$/, '');
  if (found.length < 6 || /^[\d.,:+-]+$|[^ -~]/.test(found) || wordsOfCode.test(found)) return false;
  if (!isQuoted && (code.test(found) || /^[.~]{0,2}\/|^[[({]/.test(found))) return false;
  // Several settings in one, or a phrase.
  if (/\s/.test(found))
    return (
      /(?:^|[\s;])[^\s=]{2,40}=\S/.test(found) || (/\d/.test(found) && !/[a-z]{2,} [a-z]{2,}/i.test(found))
    );
  const isName = /^(?:[A-Za-z]{0,14}[-_./@ ])*[A-Za-z]{0,14}\d{0,3}$/.test(found);
  if (isName && !/^[a-z]+\d{2,3}$/i.test(found)) return false;
  return /\d/.test(found) || found.length >= 12;
}

/** In the position of a word but unlike one: letters and digits that form no name. */
function isLikely(found: string, isLong: boolean): boolean {
  if (
    isSample(found) ||
    code.test(found) ||
    /[/=:]|\.\w+$|^-|^(?:sha|md|base|utf|aes|rsa|oauth|ipv|http|ed|x|v|step|line|hs|rs|es)-?\d/i.test(found)
  )
    return false;
  return (
    isMixed(found) &&
    /\d/.test(found) &&
    (!isLong || (found.length >= 16 && !/^[a-z]+(?:[-_][a-z]+)*\d{0,3}$/i.test(found)))
  );
}

/** Whether digits or signs occur among letters, unlike in words. */
function isMixed(found: string): boolean {
  const bare = found.replace(/[.,;:!?]+$/, '');
  return (
    bare.length >= 6 && /[\d+/=@#$%^&*!]/.test(bare) && /[A-Za-z]/.test(bare) && !/^[a-z]+:\/\//.test(bare)
  );
}

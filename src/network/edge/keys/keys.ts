import type { Carrying, SecretRule, Secrets } from '../../../contract/capabilities/secrets.ts';
import { ConfigError } from '../../../contract/error.ts';
import { type Text, text } from '../../../contract/text/text.ts';
import { createGlob } from '../../../ground/glob/rule-glob.ts';
import { hasNone } from '../../../ground/secrets/named.ts';
import { standInFor } from '../../../ground/secrets/stand-in.ts';
import { createProxyRules, createTunnelCheck, type Target } from '../../proxy/rules.ts';
import { fits, type HostRule, parseHost } from '../../rules.ts';
import type { Field } from '../fields.ts';
import { percentDecoded } from '../kinds/asked.ts';
import type { EdgeRequest } from '../request.ts';
import { isSignedBy, type Resigning, readSigned } from './aws/resign.ts';
import { awsPairOf } from './aws/signature.ts';
import { formsOf, valueEncodings } from './forms.ts';
import { gitSettingsFor } from './git-settings.ts';
import { homeFiles, loginVariables } from './home-files.ts';
import { hiderFor, type Replacement } from './replacement.ts';

/** A credential that a request may carry, or an answer must not show. */
export interface Use {
  readonly standIn: string;
  readonly value: string;
}

/** `leaks`: the secret whose stand-in was where it may not be. */
type Refused = (because: Text, leaks?: string) => void;

interface Forbidden {
  readonly form: string;
  readonly name: string;
}

/** What a request gets, and what its answer must not show. */
export interface Lending {
  /** Credentials that the request carries. */
  readonly uses: readonly Use[];
  /** A signature that is made anew, with the value. */
  readonly signing: (Resigning & Pick<Use, 'value'>) | undefined;
  /** Those that its body may hold, equally long. */
  readonly inBody: readonly Use[];
  /** Credentials that its answer must not show, and what hides them. */
  readonly shown: readonly Use[];
  readonly hider: Replacement;
  /** Forms that its body must not hold, in lower case, each with the name of its secret. */
  readonly forbidden: readonly Forbidden[];
  /** The address that its host gets. */
  readonly path: string;
  /** Notes that it was broken off. */
  readonly refused: Refused;
}

/** Throws `ConfigError` if a credential names a host whose requests are not looked into. */
export function assertInspected(
  secrets: readonly SecretRule[],
  { network, tunnels }: { readonly network: readonly string[]; readonly tunnels: readonly string[] },
): void {
  const rules = createProxyRules(network, 'process.network');
  const isTunnel = createTunnelCheck(network, tunnels);
  for (const { name, hosts, commands = true } of secrets) {
    for (const [index, entry] of hosts.entries()) {
      const target = sampleOf(entry, `secrets.${name}.hosts[${index}]`);
      if (commands && (!rules.allows(target) || isTunnel(target)))
        throw new ConfigError(
          `secrets.${name} names ${entry}, which process.network does not list, or lists as a tunnel. If it is not for commands, set "commands": false.`,
          `secrets.${name} の ${entry} は、process.network にないか、トンネルとして指定されています。コマンド用でなければ "commands": false を指定してください。`,
        );
    }
  }
}

/** Throws `ConfigError` if a list reaches no host of a credential that its server is to use. */
export function assertReached(
  { name, hosts }: SecretRule,
  { entries, key }: { readonly entries: readonly string[]; readonly key: string },
): void {
  const listed = createProxyRules(entries, key);
  const own = createProxyRules(hosts, `secrets.${name}.hosts`);
  const isReached =
    hosts.some((host) => listed.allows(sampleOf(host, key))) ||
    entries.some((entry) => own.allows(sampleOf(entry, key)));
  if (isReached) return;
  throw new ConfigError(
    `${key} names no host of the secret “${name}”, which could not be used there: ${hosts.join(', ')}`,
    `${key} にシークレット「${name}」のホストがないため、そこでは使えません: ${hosts.join('、')}`,
  );
}

/** A host that an entry fits. */
function sampleOf(entry: string, key: string): Target {
  const { host, below, port = 443 } = parseHost(entry, key);
  return { host: below ? `any.${host}` : host, port };
}

/** The credentials of one proxy. Programs hold stand-ins for them, which the edge replaces where they may go. */
export class Keys {
  readonly #secrets: Secrets;
  readonly #keys: readonly Key[];
  /** That of the last request. */
  #hider: { readonly key: string; readonly made: Replacement } | undefined;

  /** `standInOf` makes the stand-ins. Throws `ConfigError` on a bad host. */
  constructor(
    secrets: Secrets,
    standInOf = (rule: SecretRule) => standInFor(secrets.valueOf(rule.name) ?? unknownValue(rule)),
  ) {
    this.#secrets = secrets;
    this.#keys = secrets.rules.map((rule) => new Key(rule, standInOf(rule)));
  }

  /** Whether a request to it may carry any of them, or the one of that name. */
  isFor(target: Target, name?: string): boolean {
    return this.#keys.some((key) => (name === undefined || key.rule.name === name) && key.isFor(target));
  }

  /** The stand-ins by the names of their variables. */
  get environment(): Readonly<Record<string, string>> {
    const own = Object.fromEntries(this.#keys.flatMap(({ rule, parts }) => variablesOf(rule, parts)));
    return { ...loginVariables(this.#keys), ...own };
  }

  /** Files of the home folder in which programs find stand-ins, by their paths below it. */
  get homeFiles(): ReadonlyMap<string, string> {
    return homeFiles(this.#keys);
  }

  /** Settings by which git finds a login for the hosts whose credentials it may carry. */
  get gitSettings(): readonly (readonly [name: string, value: string])[] {
    return this.#keys.flatMap(({ rule }) => gitSettingsFor(rule));
  }

  /** Reads the values again that are due, if the request goes to their hosts; undefined if none is. */
  refresh(target: Target): Promise<unknown> | undefined {
    return this.#secrets.refresh(
      this.#keys.filter(({ isFor }) => isFor(target)).map(({ rule }) => rule.name),
    );
  }

  /** What a request gets in place of its stand-ins; undefined if its host has to do with no credential. */
  lend(request: EdgeRequest, refused: Refused): Lending | { readonly because: Text } | undefined {
    const uses: Use[] = [];
    let signing: Lending['signing'];
    for (const key of this.#keys) {
      const places = key.placesIn(request);
      if (places.length === 0) continue;
      const { name } = key.rule;
      const value = this.#secrets.valueOf(name);
      const astray = key.whyNot(request, places);
      const because =
        astray ??
        (value === undefined
          ? hasNone(name)
          : places.includes('body') && value.length !== key.standIn.length
            ? changed(name)
            : undefined);
      const signed = because ? { because } : key.signed(request, places);
      if (signed && 'because' in signed) {
        refused(signed.because, astray && name);
        return signed;
      }
      if (signed) signing = { ...signed, value: value ?? '' };
      else uses.push({ standIn: key.standIn, value: value ?? '' });
    }
    const shown = this.#shownBy(request);
    const { inBody, forbidden } = this.#inBodyOf(request);
    if (!signing && uses.length + shown.length + forbidden.length === 0) return undefined;
    const path = uses.reduce(
      (rest, { standIn, value }) => replaceValue(rest, standIn, value),
      request.target,
    );
    return { uses, signing, inBody, shown, hider: this.#hiderOf(shown), forbidden, path, refused };
  }

  /** The request with names in place of stand-ins, which are not data. */
  blind(request: EdgeRequest): EdgeRequest {
    let { headers, target } = request;
    for (const { rule, parts } of this.#keys)
      for (const part of parts) {
        headers = replaceInFields(headers, part, rule.name);
        target = replaceValue(target, part, rule.name);
      }
    return { ...request, headers, target };
  }

  /** A part of a body that has not arrived yet may hold each of them. */
  #inBodyOf(request: EdgeRequest): Pick<Lending, 'inBody' | 'forbidden'> {
    const inBody: Use[] = [];
    const forbidden: Forbidden[] = [];
    if (request.bodyBytes === 0) return { inBody, forbidden };
    for (const key of this.#keys) {
      const value = this.#secrets.valueOf(key.rule.name);
      const isFit = value?.length === key.standIn.length && !key.whyNot(request, ['body']);
      if (isFit) inBody.push({ standIn: key.standIn, value });
      else forbidden.push(...key.forms.map((form) => ({ form, name: key.rule.name })));
    }
    return { inBody, forbidden };
  }

  /** Making one takes longer than a request. */
  #hiderOf(shown: readonly Use[]): Replacement {
    const key = JSON.stringify(shown);
    if (this.#hider?.key !== key) this.#hider = { key, made: hiderFor(shown) };
    return this.#hider.made;
  }

  #shownBy(target: Target): readonly Use[] {
    return this.#keys.flatMap(({ rule, parts, standIn, isFor }) => {
      const whole = isFor(target) ? this.#secrets.valueOf(rule.name) : undefined;
      if (whole === undefined) return [];
      return partsOf(rule, whole).map((value, index) => {
        const shown = parts[index] ?? standIn;
        return {
          value,
          standIn: shown.repeat(Math.ceil(value.length / shown.length)).slice(0, value.length),
        };
      });
    });
  }
}

class Key {
  readonly rule: SecretRule;
  readonly standIn: string;
  /** The texts that programs hold: of a key of AWS two or three. */
  readonly parts: readonly string[];
  /** In lower case. */
  readonly forms: readonly string[];
  readonly #hosts: readonly HostRule[];
  readonly #paths: readonly ((path: string) => boolean)[] | undefined;

  constructor(rule: SecretRule, standIn: string) {
    this.rule = rule;
    this.standIn = standIn;
    this.parts = partsOf(rule, standIn);
    this.forms = this.parts.flatMap(formsOf).map((form) => form.toLowerCase());
    this.#hosts = rule.hosts.map((host, index) => parseHost(host, `secrets.${rule.name}.hosts[${index}]`));
    this.#paths = rule.paths?.map(createGlob);
  }

  readonly isFor = ({ host, port }: Target): boolean =>
    this.#hosts.some((rule) => fits(rule, host, port) && (rule.port !== undefined || port === 443));

  /** Where the request holds the stand-in; `elsewhere`: in a form that no program sends a credential in. */
  placesIn(request: EdgeRequest): readonly (Carrying | 'elsewhere')[] {
    const body = request.bodyStart.toString('latin1');
    const isSigned = this.#isAws && isSignedBy(this.parts[0] ?? '', request);
    const headers = isSigned ? request.headers.map((field) => this.#withoutSigner(field)) : request.headers;
    const target = isSigned
      ? request.target.replace(/([?&]X-Amz-(?:Credential|Security-Token)=)[^&]*/g, '$1')
      : request.target;
    return [
      ...(isSigned ? (['sigv4'] as const) : []),
      ...headers.flatMap((field) => this.#placeInField(field)),
      ...this.#placesInAddress(target),
      ...(this.#isValueIn(body) ? (['body'] as const) : this.#elsewhere(body)),
    ];
  }

  /** Why it may not go there; undefined if it may. */
  whyNot(request: EdgeRequest, places: readonly (Carrying | 'elsewhere')[]): Text | undefined {
    const { name, hosts, methods, as } = this.rule;
    const { method, scheme, host, target } = request;
    if (!this.isFor(request)) return onlyTo(name, host, hosts);
    if (scheme !== 'https') return inTheClear(name);
    if (methods && !methods.includes(method)) return notBy(name, `methods: ${method}`);
    const path = plainPath(target);
    if (this.#paths && (path === undefined || !this.#paths.some((fitsPath) => fitsPath(path))))
      return notBy(name, `paths: ${target.split('?', 1)[0]}`);
    const wrong = places.find((place) => place === 'elsewhere' || !as.includes(place));
    return wrong === undefined ? undefined : notBy(name, `as: ${wrong}`);
  }

  /** A request of AWS that was signed with the stand-in; why it cannot be signed anew. */
  signed(
    request: EdgeRequest,
    places: readonly (Carrying | 'elsewhere')[],
  ): Resigning | { readonly because: Text } | undefined {
    return places.includes('sigv4')
      ? readSigned(request, this.rule.name, awsPairOf(this.standIn))
      : undefined;
  }

  get #isAws(): boolean {
    return this.rule.as.includes('sigv4');
  }

  /** A secret access key is in no field, and may not be. */
  #withoutSigner([name, value]: Field): Field {
    const [id = '', , token] = this.parts;
    const lower = name.toLowerCase();
    if (lower === 'authorization') return [name, value.replace(id, '')];
    return [name, lower === 'x-amz-security-token' && value === token ? '' : value];
  }

  #placeInField([name, value]: Field): (Carrying | 'elsewhere')[] {
    const lower = name.toLowerCase();
    const basic = lower === 'authorization' ? basicOf(value) : undefined;
    const has = (words = '') => this.parts.some((part) => words.includes(part));
    if (has(basic)) return ['basic'];
    if (has(value)) return [lower === 'authorization' ? 'bearer' : `header:${lower}`];
    return this.#elsewhere(value);
  }

  #placesInAddress(address: string): (Carrying | 'elsewhere')[] {
    const [path = '', ...rest] = address.split('?');
    const query = rest.join('?').split('&');
    const inQuery = query.flatMap((pair) => {
      const [name = '', ...value] = pair.split('=');
      return this.#isValueIn(value.join('='))
        ? [`query:${percentDecoded(name) ?? name}` as const]
        : this.#elsewhere(pair);
    });
    return [...(this.#isValueIn(path) ? (['path'] as const) : this.#elsewhere(path)), ...inQuery];
  }

  #isValueIn(words: string): boolean {
    return this.parts.some((part) => valueEncodings.some((encode) => words.includes(encode(part))));
  }

  #elsewhere(words: string): 'elsewhere'[] {
    const lower = words.toLowerCase();
    return this.forms.some((form) => lower.includes(form)) ? ['elsewhere'] : [];
  }
}

/** Of a key of AWS: the id, the secret and the token of a session. */
function partsOf({ as }: SecretRule, value: string): readonly string[] {
  return as.includes('sigv4') ? value.split(':') : [value];
}

/** The pattern of a stand-in while there is no value. */
function unknownValue({ as }: SecretRule): string {
  return as.includes('sigv4') ? `AKIA${'A0'.repeat(8)}:${'A0a'.repeat(13)}0` : 'A0a'.repeat(14);
}

function variablesOf({ as, variable }: SecretRule, parts: readonly string[]): (readonly [string, string])[] {
  if (!as.includes('sigv4')) return parts.map((part) => [variable, part]);
  const names = ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'SESSION_TOKEN'];
  return parts.map((part, index) => [`${variable}_${names[index]}`, part]);
}

/** The fields with another text in place of the stand-in, in a Basic login too. */
export function replaceInFields(fields: readonly Field[], standIn: string, value: string): readonly Field[] {
  return fields.map(([name, words]) => {
    const basic = name.toLowerCase() === 'authorization' ? basicOf(words) : undefined;
    if (basic?.includes(standIn)) {
      return [name, `Basic ${Buffer.from(basic.replaceAll(standIn, value), 'latin1').toString('base64')}`];
    }
    return [name, words.replaceAll(standIn, () => value)];
  });
}

/** An address or a text with another value in place of the stand-in. */
export function replaceValue(words: string, standIn: string, value: string): string {
  return valueEncodings.reduce(
    (rest, encode) => rest.replaceAll(encode(standIn), () => encode(value)),
    words,
  );
}

function basicOf(value: string): string | undefined {
  const [, words] = /^Basic +([\w+/-]+={0,2})$/i.exec(value) ?? [];
  return words === undefined ? undefined : Buffer.from(words, 'base64').toString('latin1');
}

/** Undefined for a path that servers may read in different ways. */
function plainPath(address: string): string | undefined {
  const path = percentDecoded(address.split('?', 1)[0] ?? '');
  const isOdd =
    path === undefined || /%|\\|\/\/|(^|\/)\.{1,2}(\/|$)|;/.test(path) || /%2f|%5c/i.test(address);
  return isOdd ? undefined : path;
}

function onlyTo(name: string, host: string, hosts: readonly string[]): Text {
  return text(
    `The secret “${name}” may not go to ${host}: secrets.${name}.hosts lists ${hosts.join(', ')}.`,
    `シークレット「${name}」は ${host} に送信できません。secrets.${name}.hosts にあるのは ${hosts.join('、')} です。`,
  );
}

export const inLaterBody = text(
  'The body holds the stand-in of a secret that may not go there: the request was broken off.',
  '本文に、送信が許可されていないシークレットの代わりの値があるため、リクエストを中断しました。',
);

function inTheClear(name: string): Text {
  return text(
    `The secret “${name}” is only sent over https.`,
    `シークレット「${name}」は https でのみ送信されます。`,
  );
}

function notBy(name: string, what: string): Text {
  return text(
    `The secret “${name}” may not go there by secrets.${name}.${what}.`,
    `シークレット「${name}」は secrets.${name}.${what} のため送信できません。`,
  );
}

function changed(name: string): Text {
  return text(
    `The secret “${name}” now has another length than when the server started. Its stand-in in a body needs a new start.`,
    `シークレット「${name}」の長さがサーバーの起動時と違います。本文での使用にはサーバーの再起動が必要です。`,
  );
}

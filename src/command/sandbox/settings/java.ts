import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { orElse } from '../../../ground/or-else.ts';
import type { Toolchains } from '../../toolchains/find.ts';

/**
 * Java reads neither the system's bundle nor the variables of a proxy, but two files of its own. Writes their
 * replacements into `etc`, a copy of `/etc`, and returns bwrap's arguments for those that stand elsewhere.
 */
export function writeJavaFiles(
  etc: string,
  { authorities, proxyPort, toolchains }: JavaSettings,
): () => readonly string[] {
  const store = trustStore(authorities);
  const binds: (readonly [from: string, at: string])[] = [];
  for (const file of javaFiles(toolchains)) {
    const content = file.endsWith('cacerts') ? store : `${readFileSync(file, 'utf8')}\n${proxied(proxyPort)}`;
    const isSetting = file.startsWith('/etc/');
    const copy = join(etc, isSetting ? file.slice('/etc/'.length) : `java-${binds.length}`);
    rmSync(copy, { force: true });
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, content);
    if (!isSetting) binds.push([copy, file]);
  }
  // One that was removed since would keep every command from starting.
  return () => binds.flatMap(([from, at]) => (existsSync(at) ? ['--ro-bind', from, at] : []));
}

export interface JavaSettings {
  /** In PEM. */
  readonly authorities: string;
  readonly proxyPort: number;
  readonly toolchains: Toolchains;
}

/** The trust stores and proxy settings of each Java that commands see, without links. */
function javaFiles({ found }: Toolchains): readonly string[] {
  const kept = found.filter(({ name }) => /^(java|sdkman|asdf|mise)$/.test(name)).map(({ path }) => path);
  const managed = kept.flatMap((path) => [`${path}/candidates/java`, `${path}/installs/java`]);
  const homes = [...kept, ...['/usr/lib/jvm', '/opt/java', ...managed].flatMap(childrenOf)];
  return [
    ...new Set(
      homes.flatMap((home) => names.flatMap((name) => orElse(() => [realpathSync(join(home, name))], []))),
    ),
  ];
}

function childrenOf(folder: string): readonly string[] {
  return orElse(() => readdirSync(folder).map((name) => join(folder, name)), []);
}

/** Of Java 9 and later, and of Java 8. */
const names = [
  ...['lib/security/cacerts', 'conf/net.properties'],
  ...['jre/lib/security/cacerts', 'jre/lib/net.properties', 'lib/net.properties'],
];

function proxied(port: number): string {
  const lines = ['http', 'https'].flatMap((scheme) => [
    `${scheme}.proxyHost=127.0.0.1`,
    `${scheme}.proxyPort=${port}`,
  ]);
  return `${lines.join('\n')}\n`;
}

/** A store in the form JKS, with the password that all of Java's have. */
function trustStore(authorities: string): Buffer {
  const certificates = authorities.match(/(?<=-----BEGIN CERTIFICATE-----)[^-]+/g) ?? [];
  const entries = certificates.flatMap((base64, index) => {
    const bytes = Buffer.from(base64, 'base64');
    return [
      int32(trustedCertificate),
      utf(`authority-${index}`),
      Buffer.alloc(8),
      utf('X.509'),
      int32(bytes.length),
      bytes,
    ];
  });
  const store = Buffer.concat([int32(0xfeedfeed), int32(2), int32(certificates.length), ...entries]);
  const password = Buffer.from('changeit', 'utf16le').swap16();
  const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(store).digest();
  return Buffer.concat([store, digest]);
}

const trustedCertificate = 2;

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function utf(words: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(words.length);
  return Buffer.concat([length, Buffer.from(words)]);
}

import { Buffer } from 'node:buffer';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes, bits, der, moment, oid, pem, whole } from './der.ts';

/** Signs the certificates that the edge shows for hosts. Its keys are only in this process's memory. */
export interface Authority {
  /** PEM. Programs in the sandbox have to trust it. */
  readonly certificate: string;
  /** For a TLS server that answers in the host's place. */
  credentialsFor(host: string): Credentials;
}

export interface Credentials {
  readonly key: string | Buffer;
  readonly cert: string;
}

export function createAuthority(): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // All certificates share one key: it is as secret as the authority's, and making one takes longest.
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const leafKey = leaf.privateKey.export({ type: 'pkcs8', format: 'pem' });
  // Another name each time, or a program could take an earlier authority for this one.
  const name = nameOf(`Sekisho ${randomBytes(6).toString('hex')}`);
  const keyId = keyIdOf(own.publicKey);
  const certificate = certify(own.privateKey, {
    issuer: name,
    subject: name,
    key: own.publicKey,
    days: 3650,
    extensions: [
      extension(ids.basicConstraints, der(0x30, der(0x01, Buffer.from([0xff])), whole(0)), true),
      // keyCertSign and cRLSign.
      extension(ids.keyUsage, bits(Buffer.from([0x06]), 1), true),
      extension(ids.subjectKeyId, der(0x04, keyId)),
    ],
  });
  const known = new Map<string, Credentials>();

  return {
    certificate,
    credentialsFor(host) {
      const before = known.get(host);
      if (before) return before;
      const made = {
        key: leafKey,
        cert: certify(own.privateKey, {
          issuer: name,
          subject: nameOf('Sekisho'),
          key: leaf.publicKey,
          days: 365,
          extensions: [
            extension(ids.basicConstraints, der(0x30), true),
            // digitalSignature.
            extension(ids.keyUsage, bits(Buffer.from([0x80]), 7), true),
            extension(ids.extendedKeyUsage, der(0x30, ids.serverAuth)),
            extension(ids.subjectKeyId, der(0x04, keyIdOf(leaf.publicKey))),
            extension(ids.authorityKeyId, der(0x30, der(0x80, keyId))),
            extension(ids.subjectAltName, der(0x30, alternative(host))),
          ],
        }),
      };
      // A wildcard in the list lets a command invent any number of names.
      if (known.size >= maxKnown) known.clear();
      known.set(host, made);
      return made;
    },
  };
}

const maxKnown = 256;

interface Claims {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
  readonly days: number;
  readonly extensions: readonly Buffer[];
}

/** An X.509 certificate, version 3 (RFC 5280). */
function certify(signer: KeyObject, { issuer, subject, key, days, extensions }: Claims): string {
  const now = Date.now();
  const algorithm = der(0x30, ids.ecdsaWithSha256);
  const claims = der(
    0x30,
    der(0xa0, whole(2)),
    // Positive, and never the same twice.
    der(0x02, Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    algorithm,
    issuer,
    // A day ago, because clocks differ.
    der(0x30, moment(now - dayMs), moment(now + days * dayMs)),
    subject,
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions)),
  );
  return pem('CERTIFICATE', der(0x30, claims, algorithm, bits(sign('sha256', claims, signer), 0)));
}

const dayMs = 24 * 3_600_000;

const ids = {
  ecdsaWithSha256: oid('1.2.840.10045.4.3.2'),
  commonName: oid('2.5.4.3'),
  subjectKeyId: oid('2.5.29.14'),
  keyUsage: oid('2.5.29.15'),
  subjectAltName: oid('2.5.29.17'),
  basicConstraints: oid('2.5.29.19'),
  authorityKeyId: oid('2.5.29.35'),
  extendedKeyUsage: oid('2.5.29.37'),
  serverAuth: oid('1.3.6.1.5.5.7.3.1'),
};

function nameOf(words: string): Buffer {
  return der(0x30, der(0x31, der(0x30, ids.commonName, der(0x0c, Buffer.from(words)))));
}

function extension(id: Buffer, value: Buffer, isCritical = false): Buffer {
  return der(0x30, id, ...(isCritical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
}

/** The last part of a P-256 key's encoding is the point itself. */
function keyIdOf(key: KeyObject): Buffer {
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65);
  return createHash('sha1').update(point).digest();
}

function alternative(host: string): Buffer {
  return isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host));
}

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

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
  const issuer = nameOf(`Sekisho ${randomBytes(6).toString('hex')}`);
  const keyId = keyIdOf(own.publicKey);
  const certificate = certify(own.privateKey, {
    issuer,
    subject: issuer,
    key: own.publicKey,
    days: 3650,
    extensions: [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId)),
    ],
  });
  const known = new Map<string, Credentials>();

  return {
    certificate,
    credentialsFor(host) {
      const before = known.get(host);
      if (before) return before;
      const alternative = new GeneralName(isIP(host) === 0 ? { dNSName: host } : { iPAddress: host });
      const cert = certify(own.privateKey, {
        issuer,
        subject: nameOf('Sekisho'),
        key: leaf.publicKey,
        days: 365,
        extensions: [
          extension(id_ce_basicConstraints, new BasicConstraints(), true),
          extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
          extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
          extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(leaf.publicKey))),
          extension(
            id_ce_authorityKeyIdentifier,
            new AuthorityKeyIdentifier({ keyIdentifier: new SubjectKeyIdentifier(keyId) }),
          ),
          extension(id_ce_subjectAltName, new SubjectAlternativeName([alternative])),
        ],
      });
      // A wildcard in the list lets a command invent any number of names.
      if (known.size >= maxKnown) known.clear();
      known.set(host, { key: leafKey, cert });
      return { key: leafKey, cert };
    },
  };
}

const maxKnown = 256;

interface Claims {
  readonly issuer: Name;
  readonly subject: Name;
  readonly key: KeyObject;
  readonly days: number;
  readonly extensions: readonly Extension[];
}

/** An X.509 certificate, version 3 (RFC 5280), in PEM. */
function certify(signer: KeyObject, { issuer, subject, key, days, extensions }: Claims): string {
  const now = Date.now();
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // Positive, and never the same twice.
    serialNumber: Uint8Array.from([0x40, ...randomBytes(15)]).buffer,
    signature: ecdsaWithSha256,
    issuer,
    // A day ago, because clocks differ.
    validity: new Validity({ notBefore: new Date(now - dayMs), notAfter: new Date(now + days * dayMs) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(key.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const claims = new Uint8Array(AsnConvert.serialize(tbsCertificate));
  const signatureValue = Uint8Array.from(sign('sha256', claims, signer)).buffer;
  const whole = new Certificate({ tbsCertificate, signatureAlgorithm: ecdsaWithSha256, signatureValue });
  const base64 = Buffer.from(AsnConvert.serialize(whole)).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const dayMs = 24 * 3_600_000;
const ecdsaWithSha256 = new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' });
const commonName = '2.5.4.3';

function nameOf(words: string): Name {
  const attribute = new AttributeTypeAndValue({
    type: commonName,
    value: new AttributeValue({ utf8String: words }),
  });
  return new Name([new RelativeDistinguishedName([attribute])]);
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** The last part of a P-256 key's encoding is the point itself. */
function keyIdOf(key: KeyObject): Uint8Array<ArrayBuffer> {
  const point = key.export({ type: 'spki', format: 'der' }).subarray(-65);
  return Uint8Array.from(createHash('sha1').update(point).digest());
}

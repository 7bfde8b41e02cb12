import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { Reading } from './wire.ts';

/**
 * Whether a host's key signed these bytes, all three as they are on the wire (RFC 4253, 5656, 8332, 8709). False for
 * other kinds of keys: DSA, certificates, security keys, and RSA with SHA-1.
 */
export function isSignedBy(hostKey: Buffer, signed: Buffer, signature: Buffer): boolean {
  try {
    const key = new Reading(hostKey);
    const given = new Reading(signature);
    const [type, algorithm, bytes] = [key.text(), given.text(), given.string()];
    if (!given.isOver) return false;
    if (type === 'ssh-ed25519' && algorithm === type) {
      return verify(null, signed, keyOf({ kty: 'OKP', crv: 'Ed25519', x: word(key.string()) }), bytes);
    }
    const hash = hashes.get(algorithm);
    if (type === 'ssh-rsa' && algorithm.startsWith('rsa-') && hash) {
      const [e, n] = [word(key.string()), word(key.string())];
      return verify(hash, signed, keyOf({ kty: 'RSA', e, n }), bytes);
    }
    const curve = curves.get(type);
    if (!curve || !hash || algorithm !== type || key.text() !== type.slice('ecdsa-sha2-'.length))
      return false;
    const point = key.string();
    const half = Math.ceil(curve.bits / 8);
    if (point.length !== 1 + 2 * half || point[0] !== uncompressed) return false;
    const [x, y] = [word(point.subarray(1, 1 + half)), word(point.subarray(1 + half))];
    const parts = new Reading(bytes);
    const [r, s] = [padded(parts.string(), half), padded(parts.string(), half)];
    const known = keyOf({ kty: 'EC', crv: curve.name, x, y });
    return verify(hash, signed, { key: known, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]));
  } catch {
    // Malformed, or no point of the curve.
    return false;
  }
}

const hashes = new Map([
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
  ['ecdsa-sha2-nistp256', 'sha256'],
  ['ecdsa-sha2-nistp384', 'sha384'],
  ['ecdsa-sha2-nistp521', 'sha512'],
]);
const curves = new Map([
  ['ecdsa-sha2-nistp256', { name: 'P-256', bits: 256 }],
  ['ecdsa-sha2-nistp384', { name: 'P-384', bits: 384 }],
  ['ecdsa-sha2-nistp521', { name: 'P-521', bits: 521 }],
]);
const uncompressed = 4;

function keyOf(key: JsonWebKey) {
  return createPublicKey({ key, format: 'jwk' });
}

function word(bytes: Buffer): string {
  return bytes.toString('base64url');
}

/** A positive number of ssh, in as many bytes. */
function padded(number: Buffer, bytes: number): Buffer {
  const digits = number[0] === 0 ? number.subarray(1) : number;
  return Buffer.concat([Buffer.alloc(bytes - digits.length), digits]);
}

import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Passkey } from '../../src/contract/people/passkey.ts';

/** A passkey whose device is this program: it signs whatever it is told to, also what no device would. */
export function createSoftwareKey(host: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  // COSE: kty EC2, alg ES256, crv P-256, then x and y.
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    ...[Buffer.from(x, 'base64url'), Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')],
  ]);
  const id = randomBytes(16).toString('base64url');
  return {
    passkey: {
      id,
      person: 'ada',
      tokenId: undefined,
      host,
      label: 'Phone',
      counter: 0,
      transports: [],
      publicKey: cose.toString('base64url'),
    } satisfies Omit<Passkey, 'createdAtMs' | 'usedAtMs'>,
    sign(
      challenge: string,
      {
        origin,
        rpId = host,
        flags = 0x05,
        type = 'webauthn.get',
      }: {
        readonly origin: string;
        readonly rpId?: string;
        readonly flags?: number;
        readonly type?: string;
      },
    ): string {
      const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
      const counter = Buffer.alloc(4);
      const authenticatorData = Buffer.concat([
        createHash('sha256').update(rpId).digest(),
        ...[Buffer.from([flags]), counter],
      ]);
      const signature = createSign('sha256')
        .update(authenticatorData)
        .update(createHash('sha256').update(clientData).digest())
        .sign(privateKey);
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      });
    },
  };
}

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { ChallengePurpose, Passkey } from '../../contract/people/passkey.ts';
import type { Person } from '../../contract/people/person.ts';
import { isOverTls } from '../cookies.ts';
import type { ConsoleDependencies } from '../dependencies.ts';

/** The site that requests a passkey; the device binds its signature to it. */
interface RelyingParty {
  readonly origin: string;
  readonly host: string;
}

export function relyingPartyOf(request: Request): RelyingParty {
  const { host, hostname } = new URL(request.url);
  return { origin: `${isOverTls(request) ? 'https' : 'http'}://${host}`, host: hostname };
}

/** The options with which a browser creates a passkey: one that its device finds by itself, and unlocks each time. */
export async function registrationOptions(
  request: Request,
  person: Person,
  session: string,
  dependencies: ConsoleDependencies,
): Promise<object> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const store = await dependencies.passkeys();
  const { host } = relyingPartyOf(request);
  const known = (await store.list()).filter((passkey) => passkey.host === host);
  const challenge = await store.challenge({ kind: 'register', session }, dependencies.now());
  return generateRegistrationOptions({
    rpName: 'Sekisho',
    rpID: host,
    userName: person.name.replace(/^console:/, ''),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** The passkey that a browser made; undefined if it does not match the request exactly. */
export async function registered(
  request: Request,
  credential: string,
  session: string,
  dependencies: ConsoleDependencies,
): Promise<Pick<Passkey, 'id' | 'host' | 'publicKey' | 'counter' | 'transports'> | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const store = await dependencies.passkeys();
  const { origin, host } = relyingPartyOf(request);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(credential) as RegistrationResponseJSON,
      expectedChallenge: (challenge) =>
        store.takeChallenge(challenge, { kind: 'register', session }, dependencies.now()),
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { id, host, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  } catch {
    // The input is foreign, so its errors are not ours to report.
    return undefined;
  }
}

/** The challenge that a device signs. The device finds the passkey. */
export async function assertionOptions(
  request: Request,
  purpose: ChallengePurpose,
  dependencies: ConsoleDependencies,
): Promise<object> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const challenge = await (await dependencies.passkeys()).challenge(purpose, dependencies.now());
  return generateAuthenticationOptions({
    rpID: relyingPartyOf(request).host,
    userVerification: 'required',
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
  });
}

/** The owner of the device that signed exactly this, unlocked, here and now; else undefined. Works once. */
export async function proven(
  request: Request,
  assertion: string,
  purpose: ChallengePurpose,
  dependencies: ConsoleDependencies,
): Promise<{ readonly passkey: Passkey; readonly person: Person } | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const store = await dependencies.passkeys();
  const { origin, host } = relyingPartyOf(request);
  try {
    const response = JSON.parse(assertion) as AuthenticationResponseJSON;
    const found = await store.find(String(response.id).slice(0, 2000), dependencies.now());
    if (!found || found.passkey.host !== host) return undefined;
    const { id, publicKey, counter } = found.passkey;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => store.takeChallenge(challenge, purpose, dependencies.now()),
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    });
    if (!verified) return undefined;
    await store.used(id, authenticationInfo.newCounter, dependencies.now());
    return found;
  } catch {
    // As above: the input is foreign.
    return undefined;
  }
}

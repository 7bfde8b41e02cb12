import type { Settings } from '../../config/settings.ts';
import { consoleHostStart } from '../../contract/people/console.ts';
import { deriveKey } from '../../store/derived-key.ts';

/**
 * The host name of the console on this machine; undefined if it is served at `localhost`. Browsers send the cookies of a
 * host name to every port of it, so a program behind another port of `localhost` would get the session of a person who
 * visits it. Nobody can guess this name, and browsers take all names below `.localhost` for the loopback interface
 * (RFC 6761, section 6.3). A state folder keeps its name, so that passkeys stay valid.
 */
export function consoleName({ http, stateFolder }: Settings): string | undefined {
  if (http.console !== true) return undefined;
  const name = Buffer.from(deriveKey(stateFolder, 'console name')).toString('hex', 0, 10);
  return `${consoleHostStart}${name}.localhost`;
}

import { createConstants } from '../../ground/machine/elf.ts';
import { compileProgram } from '../../ground/machine/static-program.ts';
import { signingFolder } from './settings.ts';

/**
 * The program that git runs in the place of gpg and ssh-keygen. `connect` becomes a shell whose descriptor 3 leads to the
 * server; whatever does not sign goes to the machine's own programs.
 */
export const signProgram = `#!/bin/sh
case " $* " in
*" -Y sign "*)
  while [ "$1" != -f ]; do shift; done
  key=$2
  if [ -r "$2" ]; then read -r key <"$2"; fi
  for file; do :; done
  set -- ssh "$key" "$file" ;;
*" -bsau "*)
  while [ "$1" != -bsau ]; do shift; done
  set -- openpgp "$2" ;;
*" -Y "*) exec ssh-keygen "$@" ;;
*) exec gpg "$@" ;;
esac
exec ${signingFolder}/connect sh -c '
  { printf "%s\\0%s\\0" "$1" "$2"; if [ "$1" = ssh ]; then cat "$3"; else cat; fi; printf "\\0"; } >&3
  IFS= read -r answer <&3 || answer="Sekisho did not answer, so nothing was signed."
  if [ "$answer" != ok ]; then echo "$answer" >&2; exit 1; fi
  if [ "$1" = ssh ]; then exec cat <&3 >"$3.sig"; fi
  echo "[GNUPG:] SIG_CREATED D" >&2
  exec cat <&3
' sign "$@" 3>&-
`;

/** Connects the lowest free descriptor to the relay's socket, and becomes a shell with its own arguments. */
export function compileConnect(): Buffer {
  const { put, putText, bytes } = createConstants();
  putText('/bin/sh');
  const address = Buffer.from(`\u0001\0${signingFolder}/agent\0`);
  const at = put(address);
  return compileProgram(
    [
      { call: 'socket', args: [unix, stream, 0], mayFail: true },
      // The shell says that it failed.
      { call: 'connect', args: [lowest, at, address.length], mayFail: true },
    ],
    bytes(),
  );
}

const unix = 1;
const stream = 1;
const lowest = 3;

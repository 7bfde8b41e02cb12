import { readdirSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';

/** Readable for every command: programs, libraries and the few settings that they look up. */
export const systemFolders = '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /gnu/store'.split(' ');

/** The files of `/etc` that programs read, and those of a Java below `/usr`, without which no compiler starts. */
export function systemFiles(): readonly string[] {
  return [
    ...settings,
    ...orElse(() => readdirSync('/etc'), []).flatMap((name) => (isOfJava.test(name) ? [`/etc/${name}`] : [])),
  ];
}

/** Debian's and Fedora's: `java-17-openjdk`, `java-17-openjdk-17.0.9`. */
const isOfJava = /^java-\d+-[a-z]+(-[\w.]+)?$/;

const settings = [
  'ld.so.cache ld.so.conf ld.so.conf.d passwd group nsswitch.conf host.conf hosts localtime timezone alternatives',
  'ssl/certs ssl/openssl.cnf pki/tls/certs pki/ca-trust/extracted ca-certificates crypto-policies',
  'locale.alias locale.conf mime.types magic protocols services os-release',
  // pip reads all of these before it fetches anything, and fails if one is not readable.
  'debian_version lsb-release redhat-release system-release alpine-release arch-release',
  'terminfo fonts java maven/m2.conf maven/logging python3',
  // Without the settings of their packages, these programs exit at once or print something else.
  'chromium chromium.d manpath.config groff papersize perl R octave.conf ImageMagick-6 ImageMagick-7 ghostscript',
  'texmf sgml xml gtk-3.0 glvnd vulkan OpenCL inputrc login.defs shells networks rpc gai.conf dpkg',
].flatMap((names) => names.split(' ').map((name) => `/etc/${name}`));

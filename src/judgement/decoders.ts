import type { Use } from './reader/reading.ts';
import { hasOption, readOptions } from './words/options.ts';

type Command = Pick<Use, 'program' | 'args'>;

const alwaysDecode = new Set([
  ...'uudecode gunzip zcat bunzip2 bzcat unxz xzcat unlzma lzcat unzstd zstdcat'.split(' '),
  ...['rev', 'tr', 'base58', 'uncompress', 'funzip', 'gpg', 'ccrypt', 'age', 'jq', 'iconv', 'dd'],
]);

/** Does the command decode data, so that its output was never read by a judge? */
export function isDecoder(use: Command): boolean {
  return alwaysDecode.has(use.program) || isBaseDecoder(use) || unpacks(use);
}

/** Recognizes `base64 -d` in all its spellings, and the options of other programs. */
export function isBaseDecoder({ program, args }: Command): boolean {
  switch (program) {
    case 'base64':
    case 'base32':
    case 'basenc': {
      // GNU's and macOS's base64 have different letters; in both, a bundle may hide the d.
      const options = readOptions(args);
      return options.unsure !== undefined || hasOption(options, 'dD', ['decode']);
    }
    case 'openssl':
      return args.some((word) => word.value === undefined || /^--?d(ecrypt)?$/.test(word.value));
    case 'xxd':
      return args.some((word) => word.value === undefined || /^-[a-z]*r/.test(word.value));
    case 'python':
    case 'python3':
      return args.some(
        (word, at) => word.value === '-m' && /^(base64|codecs|uu|quopri)$/.test(args[at + 1]?.value ?? ''),
      );
    case 'uudecode':
      return true;
    default:
      return false;
  }
}

function unpacks({ program, args }: Command): boolean {
  if (!/^(gzip|bzip2|xz|zstd|lz4|brotli|lzma|pigz|compress)$/.test(program)) return false;
  return args.some((word) => word.value === undefined || /^(-[a-z0-9]*d|--dec|--unc)/.test(word.value));
}

import { decoded } from '../decoded.ts';

/** Names in normal use have fewer labels. */
const maxLabels = 6;

/** Whether a host name smuggles data to its name server: decodable labels, labels in base32, or too many labels. */
export function carriesData(host: string): boolean {
  const labels = host.split('.').filter((label) => label !== '');
  const own = labels.slice(0, -2);
  if (labels.length > maxLabels) return !/\.(?:amazonaws\.com|arpa|local|internal)$/i.test(host);
  return own.some((label) => isBase32(label) || says(label)) || (own.length > 1 && says(own.join('')));
}

function says(label: string): boolean {
  const isHex = /^(?:[0-9a-f]{2}){6,}$/i.test(label);
  const isLong = label.length >= 20;
  return (isHex || isLong) && decoded(label) !== undefined;
}

/** Host names are lower case; base32 is not. */
function isBase32(label: string): boolean {
  return /^[A-Z2-7]{12,}$/.test(label) && /[2-7]/.test(label);
}

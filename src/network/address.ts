import { BlockList, isIP } from 'node:net';

/**
 * Whether an address belongs to the public internet. IPv4: all but IANA's special-purpose blocks and the metadata
 * services of clouds. IPv6: only global unicast (2000::/3), without the blocks in it that contain an IPv4 address or
 * lead nowhere; this excludes mapped, translated, unique-local and link-local addresses.
 */
export function createPublicAddressCheck(): (address: string) => boolean {
  const refused = new BlockList();
  for (const [network, prefix] of refusedV4) refused.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of refusedV6) refused.addSubnet(network, prefix, 'ipv6');
  const globalUnicast = new BlockList();
  globalUnicast.addSubnet('2000::', 3, 'ipv6');

  return (address) => {
    switch (isIP(address)) {
      case 4:
        return !refused.check(address, 'ipv4');
      case 6:
        // A zone (fe80::1%eth0) names an interface of this machine.
        if (address.includes('%')) return false;
        return globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
      default:
        return false;
    }
  };
}

const refusedV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT, and Alibaba's metadata service 100.100.100.200
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's host agent uses a public address
  ['169.254.0.0', 16], // link-local, and most metadata services
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments, and Oracle's metadata service 192.0.0.192
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const refusedV6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3fff::', 20],
];

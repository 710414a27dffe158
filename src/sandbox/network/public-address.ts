// Whether an address belongs to the public internet. Everything else (this machine, private networks, link-local with the
// metadata services of clouds, reserved ranges, and IPv6 addresses that carry an IPv4 one) is not.
import { BlockList, isIP } from 'node:net';

const IPV4_RESERVED: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Of 2000::/3, the only part of IPv6 that is public. */
const IPV6_RESERVED: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const reserved = new BlockList();
for (const [network, prefix] of IPV4_RESERVED) reserved.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of IPV6_RESERVED) reserved.addSubnet(network, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** False for anything that is not an address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, 'ipv4');
    case 6:
      // A zone (`fe80::1%eth0`) means link-local.
      return !address.includes('%') && global.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
    default:
      return false;
  }
}

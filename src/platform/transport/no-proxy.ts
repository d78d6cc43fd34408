import { BlockList, isIP } from 'node:net';

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns true if the variable NO_PROXY lets an address be reached without the proxy. Its entries are divided
 * by commas or blanks. An entry is a host name, which stands for its subdomains too (`example.com`,
 * `.example.com`, `*.example.com`). It may also be an address, an address block (`10.0.0.0/8`, `fd00::/8`),
 * or a pattern (`10.0.0.*`). An entry with a port behind it means that port alone. The entry `*` means every
 * address.
 */
export function isWithoutProxy(address: URL, noProxy: string): boolean {
  const host = address.hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  const port = address.port || defaultPorts[address.protocol];
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const { pattern, onlyPort } = splitPort(entry);
      return (onlyPort === undefined || onlyPort === port) && matchesHost(host, pattern);
    });
}

/**
 * Splits an entry into pattern and port. An IPv6 address has colons itself, so its port stands behind
 * brackets.
 */
function splitPort(entry: string): { pattern: string; onlyPort: string | undefined } {
  const [, bracketed, behind] = /^\[(.*)\](?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { pattern: bracketed, onlyPort: behind };
  const [, pattern, port] = /^([^:]+):(\d+)$/.exec(entry) ?? [];
  return { pattern: pattern ?? entry, onlyPort: port };
}

function matchesHost(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  if (pattern.includes('/')) return isInBlock(host, pattern);
  if (isIP(pattern) !== 0) return isInBlock(host, `${pattern}/${isIP(pattern) === 4 ? 32 : 128}`);
  const name = pattern.replace(/^\*?\./, '');
  if (host === name || host.endsWith(`.${name}`)) return true;
  return name.includes('*') && matchesPattern(host, name);
}

/**
 * Returns true if a host matches a pattern in which each star stands for any text: `10.0.0.*`,
 * `plant*.example.com`. The search never goes back, so no pattern makes it slow.
 */
function matchesPattern(host: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!host.startsWith(first) || !host.endsWith(last) || host.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = host.indexOf(part, at);
    if (found < 0 || found + part.length > host.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

function isInBlock(host: string, block: string): boolean {
  const [network = '', bits = ''] = block.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

import { BlockList, isIP } from 'node:net';

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether the variable NO_PROXY lets an address be reached without the proxy. It lists, between commas or
 * blanks: host names, which stand for their subdomains too (`example.com`, `.example.com`, `*.example.com`),
 * addresses, address blocks (`10.0.0.0/8`, `fd00::/8`) and patterns (`10.0.0.*`), each with a port behind it
 * if it means that port alone; `*` lists everything.
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

/** An IPv6 address has colons itself: a port stands behind its brackets. */
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
 * Each star stands for any text: `10.0.0.*`, `plant*.example.com`. Without backtracking, whatever the
 * pattern.
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

import { ChannelError } from '../channel.ts';

const DOMAINS = new Map([
  ['feishu', 'https://open.feishu.cn'],
  ['lark', 'https://open.larksuite.com'],
]);

/** Without a slash at the end. Throws ChannelError for what is neither a known name nor an https address. */
export function platformAddress(domain = 'feishu'): string {
  const address = DOMAINS.get(domain) ?? domain;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)))
    throw new ChannelError('auth', `the Feishu domain is "${domain}"; accepted: feishu, lark, or an https address`);
  return address.replace(/\/+$/, '');
}

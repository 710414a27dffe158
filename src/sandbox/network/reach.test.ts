// Every public host, as the browser has it: what is private is reached only where the owner has named it.
import { expect, it } from 'vitest';
import { parseHost, targetOfUrl } from './host.ts';
import { permit } from './reach.ts';

const ADDRESSES: Record<string, string[]> = {
  'example.org': ['93.184.215.14'],
  'mixed.example': ['10.0.0.7', '93.184.215.14'],
  'inside.example': ['192.168.1.5'],
  'rebound.example': ['127.0.0.1'],
  localhost: ['127.0.0.1'],
};

async function permitted(url: string, privateHosts: readonly string[] = []) {
  const target = targetOfUrl(url);
  if (!target) throw new Error(`${url} is not an address`);
  return permit(target, {
    allowed: 'public',
    privateNames: privateHosts.flatMap((host) => parseHost(host) ?? []),
    resolve: async (name) => (ADDRESSES[name] ?? []).map((address) => ({ address, family: 4 })),
  });
}

it.each(['https://example.org/', 'http://example.org:8080/', 'http://93.184.215.14/'])('%s is reached', async (url) => {
  expect(await permitted(url)).toMatchObject({ ok: true, addresses: [{ address: '93.184.215.14' }] });
});

it('of a name with several addresses only the public ones are connected to', async () => {
  expect(await permitted('https://mixed.example/')).toMatchObject({
    ok: true,
    addresses: [{ address: '93.184.215.14', family: 4 }],
  });
});

it.each([
  'http://localhost:3000/',
  'http://127.0.0.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://[::1]:80/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.1.2.3/',
  'http://100.64.0.1/',
  'https://inside.example/',
  'https://rebound.example/',
])('%s is refused', async (url) => {
  expect(await permitted(url)).toEqual({ ok: false, reason: 'private-address' });
});

it('a private host that the owner has named is reached on its port, and on no other', async () => {
  const named = ['127.0.0.1:5173', 'inside.example'];
  expect(await permitted('http://127.0.0.1:5173/', named)).toMatchObject({ ok: true });
  expect(await permitted('https://inside.example/', named)).toMatchObject({ ok: true });
  expect(await permitted('http://127.0.0.1:5174/', named)).toMatchObject({ ok: false });
  expect(await permitted('http://inside.example:22/', named)).toMatchObject({ ok: false });
});

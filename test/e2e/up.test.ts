import { expect, it } from 'vitest';
import { useLink } from '../support/browser-sign-in.ts';
import { gatewayHome } from '../support/gateway-service.ts';
import { runBinary } from '../support/lainclaw.ts';

interface Up {
  url: string;
  port: number;
  pid: number;
}

it('starts the gateway, prints a link that signs in once, and uses a gateway that runs', async () => {
  const { home, status } = gatewayHome();
  const up = async (...flags: string[]): Promise<Up> => (await runBinary(['up', ...flags], { home })).json<Up>();
  const first = await up('--port', '0');
  expect(first).toMatchObject({ port: expect.any(Number), pid: (await status()).pid });
  const again = await up();
  expect(again).toEqual({ ...first, url: expect.stringMatching(`http://127.0.0.1:${first.port}/login`) });
  expect(again.url).not.toBe(first.url);
  const me = await fetch(`http://127.0.0.1:${first.port}/api/me`, { headers: await useLink(again.url) });
  expect(await me.json()).toMatchObject({ role: 'owner', basePath: '' });
  await expect(useLink(again.url)).rejects.toThrow('LINK_INVALID');
});

it('starts without a bot where only the address of a platform is set', async () => {
  const { home, status } = gatewayHome();
  const env = { LAINCLAW_TELEGRAM_API_ROOT: 'http://127.0.0.1:9', LAINCLAW_FEISHU_DOMAIN: 'lark' };
  const { code, stderr } = await runBinary(['up', '--port', '0'], { home, env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await status()).toMatchObject({ status: 'running', channels: [] });
});

it('invites somebody at another machine with the address that browsers there use', async () => {
  const { home, gateway } = gatewayHome();
  await runBinary(['up', '--port', '0'], { home });
  await gateway(['config', 'set', 'consoleOrigins=https://lain.example.org', 'consoleBasePath=/lain']);
  const { url } = (await runBinary(['console', 'invite', 'Anna'], { home })).json<{ url: string }>();
  expect(url).toMatch(/^https:\/\/lain\.example\.org\/lain\/login#/);
});

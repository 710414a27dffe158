// Two Lainclaws: the gateway of one offers its tools over HTTP, the other uses them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import { runningGateway } from '../support/gateway-service.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

it('the running gateway offers its own tools to other agents, under its own token and policy', async () => {
  const { home, state } = await runningGateway('--pairing-policy=disabled');
  const url = `http://127.0.0.1:${state().port}/mcp`;
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify(ping),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
  expect((await post({})).status).toBe(401);
  const token = readFileSync(join(home.path, 'mcp-token'), 'utf8').trim();
  expect((await post({ authorization: `Bearer ${token}`, origin: 'https://evil.example' })).status).toBe(403);

  const other = testHome();
  const env = { OTHER_TOKEN: token };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Lainclaw's
  const header = 'Authorization=Bearer ${OTHER_TOKEN}';
  const added = await lainclaw(['mcp', 'add', 'friend', '--url', url, '--header', header], { home: other, env });
  const { tools } = added.json<{ tools: string[] }>();
  expect(tools).toContain('mcp__friend__time_now');
  // What has an effect and asks nobody is not for others.
  for (const name of ['send_message', 'schedule_add', 'subagent_spawn'])
    expect(tools).not.toContain(`mcp__friend__${name}`);
  const call = async (name: string, args: object): Promise<ToolResult> => {
    const invoked = ['tools', 'invoke', `mcp__friend__${name}`, '--args', JSON.stringify(args), '--approve=auto'];
    return (await lainclaw(invoked, { home: other, env })).json<{ result: ToolResult }>().result;
  };
  expect(await call('tools_echo', { hello: 'there' })).toMatchObject({ ok: true, meta: { tainted: true } });
  // Nobody is there to permit it.
  const denied = await call('bash', { command: 'touch made' });
  expect(JSON.stringify(denied)).toContain('needs permission');
});

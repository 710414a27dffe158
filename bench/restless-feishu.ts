// A fake Feishu as a process that drops every connection again and again.
import { setInterval } from 'node:timers';
import { startFeishuServer } from '../test/fakes/feishu-server/feishu-server.ts';

const EVERY_MS = 40;

const server = await startFeishuServer();
setInterval(() => server.push.disconnect(), EVERY_MS);
console.log(JSON.stringify({ domain: server.url, appId: server.appId, appSecret: server.appSecret }));

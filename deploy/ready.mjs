// Asks the gateway of this container whether it is ready (`/ready`, or the path that is given). The exit code is 0 when it is; otherwise 1, with the reason.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [path = '/ready'] = process.argv.slice(2);
const WITHIN_MS = 4_000;

try {
  const read = (name) => readFileSync(join(process.env.LAINCLAW_HOME ?? '', 'service', name), 'utf8').trim();
  const { port } = JSON.parse(read('gateway-service.json'));
  const headers = { authorization: `Bearer ${read('gateway-token')}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: AbortSignal.timeout(WITHIN_MS) });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
} catch (error) {
  process.stderr.write(`the gateway is not ready: ${error.message}\n`);
  process.exitCode = 1;
}

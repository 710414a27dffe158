// A server on stdio written out by hand, so that it can misbehave: `node raw-server.ts <file for its pid> [stubborn|mute]`. Its
// tools: `pid`, `die`, `hang`, `secret` (what SECRET holds), and two that nobody should offer. `stubborn` does not end when told
// to, `mute` never says a word.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , pidFile = '', manner] = process.argv;
appendFileSync(pidFile, `${process.pid}\n`);
if (manner === 'stubborn') {
  process.on('SIGTERM', () => {}).on('SIGINT', () => {});
  setInterval(() => {}, 60_000);
}
if (manner === 'mute') process.stdin.resume();
else createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));

interface Request {
  id?: number;
  method: string;
  params?: { name?: string; protocolVersion?: string };
}

function answer({ id, method, params }: Request): void {
  const say = (result: unknown): void =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  const text = (said: string): void => say({ content: [{ type: 'text', text: said }] });
  switch (method) {
    case 'initialize':
      say({
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'raw', version: '1' },
      });
      break;
    case 'tools/list':
      say({
        tools: [
          ...['pid', 'die', 'hang', 'secret'].map((name) => tool(name, { type: 'object', properties: {} })),
          tool('bad name!', { type: 'object' }),
          tool('bad-schema', { type: 'object', properties: { a: { $ref: 42, type: 'nonsense', pattern: '(' } } }),
        ],
      });
      break;
    case 'tools/call':
      if (params?.name === 'pid') text(String(process.pid));
      if (params?.name === 'secret') text(`SECRET is ${process.env.SECRET}, KEY is ${process.env.LAINCLAW_API_KEY}`);
      if (params?.name === 'die') process.exit(1);
      if (params?.name === 'hang') process.stderr.write('hanging\n');
  }
}

function tool(name: string, inputSchema: object): object {
  return { name, description: `does ${name}\u202e\u0007 as it says`, inputSchema };
}

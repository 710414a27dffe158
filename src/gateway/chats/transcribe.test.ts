// Voice messages against a server that speaks OpenAI's protocol, and in a chat.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { Channel, IncomingMessage as ChatText, IncomingFile } from '../../channels/channel.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { takeFiles } from './incoming-files.ts';
import { createTranscriber, type Transcribe } from './transcribe.ts';

const OGG = Buffer.from('OggS\0\xff\0recording', 'latin1');
const never = new AbortController().signal;

interface Asked {
  path: string | undefined;
  key: string | undefined;
  form: FormData;
}

async function server(answer: { status: number; body: string; location?: string }) {
  const asked: Asked[] = [];
  const listening = createServer((request: IncomingMessage, response) => {
    void (async () => {
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const headers = { 'content-type': request.headers['content-type'] ?? '' };
      const form = await new Response(new Uint8Array(body), { headers }).formData();
      asked.push({ path: request.url, key: request.headers.authorization, form });
      response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end(answer.body);
    })();
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => void listening.close());
  const { port } = listening.address() as { port: number };
  return { baseUrl: `http://127.0.0.1:${port}/v1/`, asked };
}

it('sends the recording as a form, and returns its words', async () => {
  const { baseUrl, asked } = await server({ status: 200, body: '{"text": " Buy milk. "}' });
  const transcribe = createTranscriber({ baseUrl, model: 'whisper-1', key: 'secret' });
  expect(await transcribe({ bytes: OGG, name: 'voice-7.oga' }, never)).toBe('Buy milk.');
  const [{ path, key, form }] = asked as [Asked];
  expect({ path, key, model: form.get('model') }).toEqual({
    path: '/v1/audio/transcriptions',
    key: 'Bearer secret',
    model: 'whisper-1',
  });
  const file = form.get('file') as File;
  expect(file.name).toBe('voice-7.ogg');
  expect(Buffer.from(await file.arrayBuffer())).toEqual(OGG);
});

it.each([
  [{ status: 500, body: 'no' }, /answered 500/],
  [{ status: 200, body: '{}' }, /without a text/],
  [{ status: 302, body: '', location: 'http://127.0.0.1:1/' }, /./],
])('refuses the answer %j', async (answer, message) => {
  const { baseUrl } = await server(answer);
  const transcribe = createTranscriber({ baseUrl, model: 'm' });
  await expect(transcribe({ bytes: OGG, name: 'a.ogg' }, never)).rejects.toThrow(message);
});

async function told(transcribe?: Transcribe): Promise<string[]> {
  const file: IncomingFile = { kind: 'file', name: 'voice-7.ogg', isVoice: true, reference: {} };
  const message = { id: '1', files: [file] } as unknown as ChatText;
  const channel = { download: async () => OGG } as unknown as Channel;
  const workspace = { writeFile: async () => {} } as unknown as Workspace;
  const options = { channel, workspace, maxBytes: 1_000_000, scope: 'owner' as const, transcribe, now: () => 0 };
  return (await takeFiles([{ message } as never], options, never)).told;
}

it('the model gets the words of a voice message, or why it has none', async () => {
  const saved = expect.stringMatching(/^\[voice message saved as inbox\/1970-01-01\/voice-7-\w+\.ogg; /);
  for (const [transcribe, end] of [
    [undefined, 'it cannot be listened to: set "transcriptionUrl" in config.json]'],
    [async () => 'Buy milk.', 'its words:]\nBuy milk.'],
    [async () => '', 'no words were recognised]'],
    [async () => Promise.reject(new Error('it sleeps')), 'it could not be transcribed: it sleeps]'],
  ] as [Transcribe | undefined, string][]) {
    const lines = await told(transcribe);
    expect(lines).toEqual([saved]);
    expect(lines[0]?.endsWith(end)).toBe(true);
  }
});

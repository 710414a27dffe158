import { type Terminal, UsageError } from './terminal.ts';

type Source = Pick<Terminal, 'input' | 'signal'>;

/** Everything on standard input, to its end. Rejects when the signal fires: a person who types may change their mind. */
export async function readStandardInput(source: Source): Promise<string> {
  return (await readBytes(source)).toString('utf8');
}

/** For what is kept: a text in another encoding is refused rather than damaged. */
export async function readStandardInputUnharmed(source: Source): Promise<string> {
  const bytes = await readBytes(source);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('standard input is not UTF-8 text; accepted: UTF-8 (iconv converts other encodings)');
  }
}

async function readBytes({ input, signal }: Source): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const stream = input.stream();
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

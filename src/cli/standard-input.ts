import { UsageError } from './terminal.ts';

/** Everything on standard input, to its end. Rejects when the signal fires: whoever types may change their mind. */
export async function readStandardInput(signal: AbortSignal): Promise<string> {
  return (await readBytes(signal)).toString('utf8');
}

/** For what is kept: a text in another encoding is refused rather than damaged. */
export async function readStandardInputUnharmed(signal: AbortSignal): Promise<string> {
  const bytes = await readBytes(signal);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('standard input is not UTF-8 text; accepted: UTF-8 (iconv converts other encodings)');
  }
}

async function readBytes(signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const stop = (): void => void process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

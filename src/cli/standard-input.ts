/** Everything on standard input, to its end. Rejects when the signal fires: whoever types may change their mind. */
export async function readStandardInput(signal: AbortSignal): Promise<string> {
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
  return Buffer.concat(chunks).toString('utf8');
}

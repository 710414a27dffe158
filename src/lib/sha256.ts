export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const { hash } = await import('node:crypto');
  return hash('sha256', bytes, 'hex');
}

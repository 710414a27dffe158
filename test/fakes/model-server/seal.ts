// Reasoning that a client must hand back unchanged: sealed when it is sent, opened when it returns, so that a client
// that drops or edits it is refused as the services refuse it.

/** OpenAI's `encrypted_content`. */
export function sealReasoning(text: string): string {
  return `gAAAAA${Buffer.from(text).toString('base64url')}`;
}

export function isSealedReasoning(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('gAAAAA');
}

/** Anthropic's `signature` of a thinking block. */
export function signThinking(text: string): string {
  return Buffer.from(`fake-signature:${text}`).toString('base64');
}

/** `{"silent":true,…}`: an answer by which a background turn says that there is nothing to tell anybody. */
export function isSilentAnswer(text: string): boolean {
  const trimmed = text
    .trim()
    .replace(/^```(?:json)?\s*/, '')
    .replace(/\s*```$/, '');
  if (!trimmed.startsWith('{')) return false;
  try {
    return (JSON.parse(trimmed) as { silent?: unknown }).silent === true;
  } catch {
    return false;
  }
}

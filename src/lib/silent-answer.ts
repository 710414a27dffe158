/** True for `{"silent":true,…}`: a background turn answers this when it has nothing to report. */
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

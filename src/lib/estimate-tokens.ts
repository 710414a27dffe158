/**
 * Estimates the tokens of a text without a tokenizer: four letters make a token, a Han or kana character makes one by
 * itself, other scripts lie between. Errs on the high side, because it guards a limit.
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x2e80) quarters += 4;
    else if (code >= 0x80) quarters += 1;
  }
  const dense = quarters / 4;
  return Math.ceil(dense + (text.length - dense) / 3.6);
}

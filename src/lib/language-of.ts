/** Which of our three languages a text is written in, by its script; English when in doubt. */
export function languageOf(text: string): 'en' | 'zh' | 'ru' {
  const sample = text.slice(0, 2_000);
  const han = sample.match(/\p{Script=Han}/gu)?.length ?? 0;
  const cyrillic = sample.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = sample.match(/\p{Script=Latin}/gu)?.length ?? 0;
  // One Han character says as much as several letters.
  if (han > 0 && han * 3 >= Math.max(cyrillic, latin)) return 'zh';
  return cyrillic > 0 && cyrillic >= latin ? 'ru' : 'en';
}

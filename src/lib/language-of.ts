const SAMPLE = 2_000;

/** The language of a text, one of our three, by its script; English when in doubt. */
export function languageOf(text: string): 'en' | 'zh' | 'ru' {
  let han = 0;
  let cyrillic = 0;
  let latin = 0;
  for (let index = 0; index < Math.min(text.length, SAMPLE); index += 1) {
    const code = text.charCodeAt(index) | 0x20;
    if (code >= 0x61 && code <= 0x7a) latin += 1;
    else if (code >= 0x400 && code < 0x530) cyrillic += 1;
    else if (code >= 0x3400 && code < 0xa000) han += 1;
  }
  // One Han character counts as several letters.
  if (han > 0 && han * 3 >= Math.max(cyrillic, latin)) return 'zh';
  return cyrillic > 0 && cyrillic >= latin ? 'ru' : 'en';
}

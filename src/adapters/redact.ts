// Takes secrets out of a sentence that will be shown or stored: the ones in use, and whatever looks like one.

const LOOKS_SECRET = [
  /\bsk-[\w*.-]{6,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?/g,
  /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /\b(api[_-]?key|access_token|refresh_token|id_token|client_secret|password)(["'\s:=]+)[^\s"'&,;)]{4,}/gi,
];
const SHORTEST_SECRET = 4;

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, '[secret]');
  }
  for (const pattern of LOOKS_SECRET) clean = clean.replaceAll(pattern, '[secret]');
  return clean;
}

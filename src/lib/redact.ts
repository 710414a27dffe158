// Takes secrets out of a sentence that will be shown or stored: the ones in use, and whatever looks like one.

const LOOKS_SECRET = [
  /\bsk-[\w*.-]{6,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?/g,
  /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /\b(?:gh[pousr]|npm|hf)_[A-Za-z\d]{30,}/g,
  /\b(?:github_pat_|glpat-|xox[abeprs]-)[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g,
  /\b\d{6,12}:[\w-]{30,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s/:@]{0,100}:)[^\s/@]{3,}(?=@)/gi,
  /AIza[\w-]{30,}/g,
  /\b(api[_-]?key|access_token|refresh_token|id_token|client_secret|passw(?:or)?d|passphrase)(["'\s:=]+)[^\s"'&,;)]{4,}/gi,
  // The end of a longer name counts as well (PGPASSWORD, dbPassword), with ":" or "=" after it.
  /(?:api[_-]?key|passw(?:or)?d|passphrase)\\?["']?\s*[:=]\s*\\?["']?[^\s"'&,;)]{4,}/gi,
  /(?:secret(?:[_-]?access)?[_-]?key|secret|token)\\?["']?\s*[:=]\s*\\?["']?[^\s"'&,;)]{6,}/gi,
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

/** A token shaped like ChatGPT's: clients read the account from its claims and send it along as a header. */
export function codexToken(account = 'account-fake', expiresAt = 4_102_444_800): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { exp: expiresAt, 'https://api.openai.com/auth': { chatgpt_account_id: account } };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.fake`;
}

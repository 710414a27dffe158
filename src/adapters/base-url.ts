// Where requests and keys are sent. Comes from the command line, the environment or the owner's config, never from a
// workspace.

export type BaseUrl = { ok: true; url: string } | { ok: false; problem: string };

/** An address without anything secret in it, and without its trailing slash. */
export function readBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { ok: false, problem: 'it is not an http or https address' };
  }
  if (url.username !== '' || url.password !== '') {
    return { ok: false, problem: 'it holds a user name or password: sign in with "lainclaw auth login" instead' };
  }
  if (url.search !== '' || url.hash !== '') return { ok: false, problem: 'it holds a query' };
  return { ok: true, url: url.origin + url.pathname.replace(/\/+$/, '') };
}

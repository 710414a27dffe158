// Signing in as a browser does with the link of `lainclaw up`, without one.
import { PAGE_HEADER } from '../../src/console/guard.ts';

/** The headers that each request of the page carries. */
export async function useLink(link: string): Promise<Record<string, string>> {
  const { origin, hash } = new URL(link);
  const answer = await fetch(`${origin}/login/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  if (!answer.ok) throw new Error(`the link was refused: ${await answer.text()}`);
  const [cookie = ''] = answer.headers.getSetCookie();
  const { page } = (await answer.json()) as { page: string };
  return { cookie: cookie.split(';')[0] ?? '', [PAGE_HEADER]: page };
}

// The one way to the gateway. Addresses are relative to the page, so that the console works below any path of a proxy.
import { signal } from '@preact/signals';
import type { Input, OperationName, Output } from './operations.ts';
import { problemOf, unreachable } from './problem.ts';

/** False once the gateway has refused our cookie: the page then asks to sign in. */
export const isSignedIn = signal(true);

/** Resolves with the output of the operation; rejects with ApiProblem. */
export async function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  abort?: AbortSignal,
): Promise<Output<Name>> {
  return (await post(`api/operations/${name}`, input, abort)) as Output<Name>;
}

export async function post(address: string, body: unknown, abort?: AbortSignal): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return request(address, { method: 'POST', headers, body: JSON.stringify(body), signal: abort });
}

/**
 * What the page has besides the cookie, which the browser also sends to other ports of this host. The sign-in page keeps it, by origin and path:
 * no other port can read it, and another console at this origin has its own.
 */
export function pageHeaders(): Record<string, string> {
  const { pathname } = new URL('.', document.baseURI);
  // A browser that an earlier version signed in has it without the path.
  const kept = localStorage.getItem(`lainclaw-page:${pathname}`) ?? localStorage.getItem('lainclaw-page');
  return { 'x-lainclaw-page': kept ?? '' };
}

export async function request(address: string, init: RequestInit): Promise<unknown> {
  const headers = { ...init.headers, ...pageHeaders() };
  const response = await fetch(new URL(address, document.baseURI), { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  });
  if (response.status === 401) isSignedIn.value = false;
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return undefined;
  return response.json();
}

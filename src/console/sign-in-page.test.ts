import { expect, test } from 'vitest';
import { SIGN_IN_SCRIPT } from './sign-in-page.ts';

/** The script of the sign-in page, run below a path, with its button pressed. */
async function signInBelow(path: string, kept: Map<string, string>): Promise<void> {
  const pressed: (() => Promise<void>)[] = [];
  const part = {
    textContent: '',
    focus() {},
    addEventListener: (_: string, press: () => Promise<void>) => pressed.push(press),
  };
  const document = {
    currentScript: { src: `http://127.0.0.1:4747${path}login.js` },
    getElementById: (id: string) => (id === 'form' ? null : part),
  };
  const localStorage = { getItem: () => null, setItem: (key: string, value: string) => void kept.set(key, value) };
  const location = { hash: '', search: '', replace() {} };
  const fetch = async () => ({ ok: true, json: async () => ({ page: `page of ${path}` }) });
  new Function('document', 'localStorage', 'location', 'fetch', 'navigator', SIGN_IN_SCRIPT)(
    document,
    localStorage,
    location,
    fetch,
    { languages: ['en-US'] },
  );
  await pressed[0]?.();
}

test('two consoles at one origin keep their sign-ins apart', async () => {
  const kept = new Map<string, string>();
  await signInBelow('/', kept);
  await signInBelow('/second/', kept);
  expect([...kept]).toEqual([
    ['lainclaw-page:/', 'page of /'],
    ['lainclaw-page:/second/', 'page of /second/'],
  ]);
});

// The page of somebody who has not signed in. Opened by a link, it says whom the link signs in, and its button does it. The code of the
// link is behind #, so no request carries it before that. Where the owner has set a password, the page also asks for it. The page is
// English until its script puts the words of another language in: the one chosen in the console, else the browser's.
import { SIGN_IN_TEXTS } from './sign-in-texts.ts';

const { en } = SIGN_IN_TEXTS;

export interface SignInPageOptions {
  basePath: string;
  /** The owner has set a password. */
  hasPassword: boolean;
}

export function signInPage({ basePath, hasPassword }: SignInPageOptions): string {
  const form = `<form id="form"><label for="password" data-text="password">${en.password}</label>
<input id="password" type="password" autocomplete="current-password" required>
<button data-text="signIn">${en.signIn}</button></form>`;
  const [before, after] = en.runUp.split('{command}');
  const body = `<h1>Lainclaw</h1>
<section id="link" hidden><p id="whom"></p><button id="enter" data-text="signIn">${en.signIn}</button></section>
<section id="other"><p data-text="notSignedIn">${en.notSignedIn}</p>
<p id="run-up">${before}<code>lainclaw up</code>${after}</p>${hasPassword ? form : ''}</section>
<p id="problem" role="alert"></p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${en.title}</title><link rel="stylesheet" href="${basePath}/login.css"></head><body><main>${body}</main>
<script src="${basePath}/login.js"></script></body></html>`;
}

/**
 * Where the page keeps what it sends besides the cookie: by origin, so that no other port of the host can read it. The path follows, because a
 * proxy may show several consoles at one origin.
 */
const PAGE_KEY = 'lainclaw-page:';

export const SIGN_IN_SCRIPT = `'use strict';
const part = (id) => document.getElementById(id);
const base = new URL('.', document.currentScript.src).pathname;
const texts = ${JSON.stringify(SIGN_IN_TEXTS)};
const language = [localStorage.getItem('lainclaw-language'), ...navigator.languages]
  .map((each) => String(each).toLowerCase().split('-')[0])
  .find((each) => Object.hasOwn(texts, each)) ?? 'en';
const words = texts[language];

function translate() {
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : language;
  document.title = words.title;
  for (const each of document.querySelectorAll('[data-text]')) each.textContent = words[each.dataset.text];
  const [before, after] = words.runUp.split('{command}');
  const command = part('run-up').querySelector('code');
  part('run-up').replaceChildren(before, command, after);
}

/** The refusals that people meet have words of their own; others are said as the gateway says them. */
function problemText(told) {
  if (!told) return words.away;
  if (Object.hasOwn(words, String(told.code))) return words[told.code];
  return [told.detail, told.hint].filter(Boolean).join(': ');
}

// Links of earlier versions have the code in the query.
const code = location.hash.slice(1) || new URLSearchParams(location.search).get('code') || '';

async function post(path, body) {
  part('problem').textContent = '';
  const answer = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  const told = await answer?.json().catch(() => ({}));
  if (answer?.ok) return told;
  part('problem').textContent = problemText(told);
}

async function signIn(path, body) {
  const told = await post(path, body);
  if (!told) return;
  localStorage.setItem('${PAGE_KEY}' + base, told.page);
  location.replace(base);
}

async function showLink() {
  const told = await post('login/link/person', { code });
  if (!told) return;
  part('whom').textContent =
    told.role === 'owner' ? words.asOwner : words.asPerson.split('{name}').join(told.name);
  part('link').hidden = false;
  part('other').hidden = true;
  part('enter').focus();
}

part('enter').addEventListener('click', () => signIn('login/link', { code }));
part('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  signIn('login', { password: part('password').value });
});
if (language !== 'en') translate();
if (code !== '') showLink();
`;

export const SIGN_IN_STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0; padding: 1rem;
  background: light-dark(#f7f6f3, #17181c); color: light-dark(#1d1f23, #eceae5); }
main { max-width: 26rem; }
form { display: grid; gap: 0.5rem; }
input, button { font: inherit; padding: 0.5rem 1rem; border-radius: 0.5rem; }
button { border: 0; background: light-dark(#2a5f51, #7cc4ae); color: light-dark(#fff, #10211c); cursor: pointer; }
button:focus-visible, input:focus-visible { outline: 2px solid light-dark(#2a5f51, #7cc4ae); outline-offset: 2px; }
#problem { color: light-dark(#a40000, #ff8a80); min-height: 1.5em; margin: 0.5rem 0 0; }
`;

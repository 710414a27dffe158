// The page of somebody who has not signed in. Its script only sends the password; without one there is no form.

export interface SignInPageOptions {
  basePath: string;
  /** The owner has set a password. */
  hasPassword: boolean;
}

export function signInPage({ basePath, hasPassword }: SignInPageOptions): string {
  const form = `<form id="form"><label for="password">Password</label>
<input id="password" type="password" autocomplete="current-password" required>
<button>Sign in</button><p id="problem" role="alert"></p></form>
<script src="${basePath}/login.js"></script>`;
  return page('Sign in', {
    basePath,
    body: `<h1>Lainclaw</h1><p>You are not signed in, or the link was used before or has expired.</p>
<p>Run <code>lainclaw up</code> in a terminal: it opens a new link.</p>${hasPassword ? form : ''}`,
  });
}

export function signedInPage({ basePath }: { basePath: string }): string {
  return page('Signed in', {
    basePath,
    head: `<meta http-equiv="refresh" content="0;url=${basePath}/">`,
    body: `<p>You are signed in. <a href="${basePath}/">Open Lainclaw</a></p>`,
  });
}

function page(title: string, { basePath, head = '', body }: { basePath: string; head?: string; body: string }): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>${head}<link rel="stylesheet" href="${basePath}/login.css"></head><body><main>${body}</main></body></html>`;
}

export const SIGN_IN_SCRIPT = `'use strict';
const form = document.getElementById('form');
const password = document.getElementById('password');
const problem = document.getElementById('problem');
const base = new URL('.', document.currentScript.src).pathname;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem.textContent = '';
  try {
    const answer = await fetch(base + 'login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: password.value }),
    });
    if (answer.ok) location.replace(base);
    else problem.textContent = (await answer.json()).detail;
  } catch {
    problem.textContent = 'The gateway does not answer.';
  }
});
`;

export const SIGN_IN_STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0; padding: 1rem; }
main { max-width: 26rem; }
form { display: grid; gap: 0.5rem; }
input, button { font: inherit; padding: 0.5rem; }
#problem { color: light-dark(#a40000, #ff8a80); min-height: 1.5em; margin: 0; }
`;

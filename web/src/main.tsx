import { render } from 'preact';
import { App } from './app.tsx';
import { trustedWorkerUrl } from './events/trusted-url.ts';
import { openLanguage } from './language/language.ts';
import { openTheme } from './state/theme.ts';
import './styles/base.css';
import './styles/chat.css';
import './styles/markdown.css';
import './styles/pages.css';
import './styles/parts.css';
import './styles/shell.css';

openTheme();
await openLanguage();
const place = document.getElementById('app');
if (place) render(<App />, place);
// Where a browser has none, the page works all the same.
void navigator.serviceWorker?.register(trustedWorkerUrl(new URL('sw.js', document.baseURI).href)).catch(() => {});

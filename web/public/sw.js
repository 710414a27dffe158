// Opens the console with a clear message while the gateway does not answer, and makes it installable. It keeps nothing: only the page
// itself passes through it, never an answer of the API.

const TEXTS = {
  en: [
    'Lainclaw does not answer',
    'The gateway is not running, or cannot be reached from here. Start it with',
    'Try again',
  ],
  zh: ['Lainclaw 没有响应', '网关没有运行，或无法从此处连接。请用以下命令启动', '重试'],
  ru: ['Lainclaw не отвечает', 'Шлюз не запущен или недоступен отсюда. Запустите его командой', 'Повторить'],
};

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(fetch(event.request).catch(offlinePage));
});

function offlinePage() {
  const language = Object.keys(TEXTS).find((each) => navigator.language.startsWith(each)) ?? 'en';
  const [title, text, again] = TEXTS[language];
  const page = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="10"><style>
:root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh;
margin: 0; padding: 1rem; background: light-dark(#f7f6f3, #17181c); color: light-dark(#1d1f23, #eceae5); }
main { max-width: 26rem; } a { color: light-dark(#2a5f51, #7cc4ae); }</style></head>
<body><main><h1>${title}</h1><p>${text} <code>lainclaw up</code>.</p><p><a href="">${again}</a></p></main></body></html>`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return new Response(page, {
    status: 503,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  });
}

// Thirty pages as they are found on the web: ten layouts in three languages, each with sentences that belong to its main text and
// others that belong to everything around it. Every sentence has a mark of its own, so that what an extraction kept can be counted.

export interface SavedPage {
  name: string;
  html: string;
  /** Marks of the main text, and of the rest. */
  main: readonly string[];
  around: readonly string[];
}

type Language = 'en' | 'zh' | 'ru';

const PROSE: Record<Language, readonly string[]> = {
  en: [
    'The queue keeps every message until a worker has confirmed it, so a crash loses nothing that was accepted',
    'When a worker fails, its message becomes visible again after a pause, and another worker takes it',
    'Measure the length of the queue before you add workers, because the database is often the slower part',
    'Each retry waits twice as long as the one before it, up to an hour, and then the message is set aside',
  ],
  zh: [
    '队列会保留每一条消息，直到工作进程确认为止，因此崩溃不会丢失任何已经接受的内容',
    '当工作进程失败时，它的消息会在一段时间之后重新出现，并由另一个工作进程处理',
    '在增加工作进程之前，请先测量队列的长度，因为数据库往往才是较慢的部分',
    '每次重试的等待时间都是上一次的两倍，最多一个小时，之后消息会被放到一边',
  ],
  ru: [
    'Очередь хранит каждое сообщение, пока обработчик его не подтвердит, поэтому при сбое ничего не теряется',
    'Если обработчик падает, его сообщение через некоторое время снова становится видимым, и его берёт другой',
    'Прежде чем добавлять обработчики, измерьте длину очереди: часто медленнее оказывается база данных',
    'Каждая следующая попытка ждёт вдвое дольше предыдущей, но не больше часа, потом сообщение откладывается',
  ],
};

const LINKS: Record<Language, readonly string[]> = {
  en: ['Home', 'Pricing', 'Sign in', 'About us', 'Careers', 'Privacy'],
  zh: ['首页', '价格', '登录', '关于我们', '招聘', '隐私'],
  ru: ['Главная', 'Цены', 'Войти', 'О нас', 'Вакансии', 'Конфиденциальность'],
};

/** What a layout is filled with. */
interface Filling {
  /** Sentences of the main text. */
  say(count?: number): string;
  /** A short piece of the main text: a cell, a line of code. */
  word(): string;
  /** Links around it. */
  links(count?: number): string;
  /** A sentence around it. */
  aside(): string;
}

const LAYOUTS: Record<string, (fill: Filling) => string> = {
  article: ({ say, links, aside }) =>
    `<header><nav>${links()}</nav></header><main><article><h1>Title</h1><p>${say()}</p><p>${say()}</p><h2>More</h2><p>${say()}</p></article></main><footer><p>${aside()}</p></footer>`,
  'docs with a sidebar': ({ say, word, links }) =>
    `<div class="layout"><div class="sidebar" role="navigation"><ul>${links(12)}</ul></div><div class="content" role="main"><h1>Guide</h1><p>${say()}</p><pre><code class="language-js">${word()}</code></pre><p>${say()}</p><p>${say()}</p></div></div>`,
  'blog with comments': ({ say, links, aside }) =>
    `<div id="menu">${links()}</div><div class="post"><h1>Post</h1><div class="entry-content"><p>${say()}</p><p>${say()}</p><blockquote><p>${say(1)}</p></blockquote><p>${say()}</p></div></div><div id="comments" class="comments"><div class="comment">${aside()}</div></div>`,
  'news with related pages': ({ say, links, aside }) =>
    `<nav class="top">${links()}</nav><div class="article-body"><h1>News</h1><p>${say()}</p><p>${say()}</p><p>${say()}</p></div><aside class="related"><h3>Related</h3><ul>${links(8)}</ul></aside><div class="cookie-banner">${aside()}</div>`,
  'a table of data': ({ say, word, links }) =>
    `<nav>${links()}</nav><main><h1>Limits</h1><p>${say()}</p><table><thead><tr><th>${word()}</th><th>${word()}</th></tr></thead><tbody><tr><td>${word()}</td><td>${word()}</td></tr><tr><td>${word()}</td><td><code>${word()}</code></td></tr></tbody></table><p>${say()}</p><p>${say()}</p></main>`,
  'code on every screen': ({ say, word, links }) =>
    `<header>${links()}</header><section class="main-content"><h1>API</h1><p>${say()}</p><pre><code class="language-sh">${word()}</code></pre><p>${say()}</p><pre class="highlight"><code>${word()}</code></pre><p>${say()}</p></section><footer>${links(4)}</footer>`,
  'a wiki': ({ say, word, links }) =>
    `<div id="mw-navigation"><div role="navigation">${links(10)}</div></div><div id="content" class="mw-body"><h1>Thing</h1><div id="bodyContent"><table class="infobox"><tbody><tr><th>${word()}</th><td>${word()}</td></tr></tbody></table><p>${say()}</p><ul><li>${say(1)}</li><li>${say(1)}</li></ul><p>${say()}</p></div></div><div id="footer" role="contentinfo">${links(5)}</div>`,
  'a list of steps': ({ say, links }) =>
    `<nav>${links()}</nav><article><h1>How to</h1><p>${say()}</p><ol><li>${say(1)}<ul><li>${say(1)}</li></ul></li><li>${say(1)}</li><li>${say(1)}</li></ol><p>${say()}</p></article><div class="newsletter-signup"><form><p>${links(1)}</p><button>OK</button></form></div>`,
  'blocks without meaning': ({ say, links }) =>
    `<div><div><div>${links()}</div></div><div><div><div><p>${say()}</p><p>${say()}</p></div><div><p>${say()}</p></div></div></div><div><div>${links(4)}</div></div></div>`,
  'a page of a shop': ({ say, word, links, aside }) =>
    `<header class="site-header"><nav>${links()}</nav></header><main><h1>Product</h1><div class="description"><p>${say()}</p><p>${say()}</p><p>${say()}</p></div><table><tbody><tr><td>${word()}</td><td>${word()}</td></tr></tbody></table></main><footer class="site-footer"><div>${aside()}</div>${links(6)}</footer>`,
};

export function savedPages(): SavedPage[] {
  return (['en', 'zh', 'ru'] as const).flatMap((language) =>
    Object.entries(LAYOUTS).map(([layout, write]) => pageOf(`${layout} (${language})`, language, write)),
  );
}

function pageOf(name: string, language: Language, write: (fill: Filling) => string): SavedPage {
  const main: string[] = [];
  const around: string[] = [];
  const mark = (marks: string[], letter: string): string => {
    const made = `${letter}${String(marks.length + 1).padStart(3, '0')}`;
    marks.push(made);
    return made;
  };
  const end = language === 'zh' ? '。' : '.';
  const sentence = (index: number): string =>
    `${PROSE[language][index % PROSE[language].length]} ${mark(main, 'm')}${end}`;
  const body = write({
    say: (count = 3) => Array.from({ length: count }, (_, index) => sentence(main.length + index)).join(' '),
    word: () => mark(main, 'm'),
    links: (count = 6) =>
      Array.from({ length: count }, (_, index) => {
        const text = `${LINKS[language][index % LINKS[language].length]} ${mark(around, 'x')}`;
        return `<li><a href="/${index}">${text}</a></li>`;
      }).join(''),
    aside: () => `© 2026 ${mark(around, 'x')}`,
  });
  const html = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${name}</title><script>var tracked = 1;</script><style>p { margin: 0 }</style></head><body>${body}</body></html>`;
  return { name, html, main, around };
}

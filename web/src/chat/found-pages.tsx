// The pages that a search of the web found, as links, below what a model wrote about them.

export interface FoundPage {
  url: string;
  title?: string;
  text?: string;
  date?: string;
}

export function FoundPages({ answer, pages }: { answer: string; pages: readonly FoundPage[] }) {
  return (
    <>
      {answer !== '' && <p class="found-answer">{answer}</p>}
      <ol class="found">
        {pages.map(({ url, title, text, date }) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noopener noreferrer">
              {title || url}
            </a>{' '}
            <span class="quiet">{[hostOf(url), date].filter(Boolean).join(' · ')}</span>
            {text && <p class="quiet">{text}</p>}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Undefined: the result of a call is something else. An address that is not of the web is left out. */
export function foundPagesIn(data: unknown): { answer: string; pages: FoundPage[] } | undefined {
  const { results, answer } = (data ?? {}) as { results?: unknown; answer?: unknown };
  if (!Array.isArray(results)) return undefined;
  const pages = (results as FoundPage[]).filter((page) => /^https?:\/\//.test(String(page?.url)));
  if (pages.length === 0) return undefined;
  return { answer: typeof answer === 'string' ? answer : '', pages };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

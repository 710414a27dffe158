// The tools: what each takes, as a form, and calling it without a model.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { language, t } from '../language/language.ts';
import { ProblemNote } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { type ObjectSchema, SchemaForm, valuesOf, type Written } from '../parts/schema-form.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';

type Tool = Output<'tools.list'>[number];

export default function Tools({ id }: { id?: string }) {
  const [words, setWords] = useState('');
  const tools = useLoaded(
    (abort) => call('tools.list', { aliases: false, language: language.value }, abort),
    [language.value],
  );
  return (
    <Page title={t('page.tools')} about={t('tools.about')}>
      <input
        type="search"
        value={words}
        placeholder={t('tools.search')}
        aria-label={t('tools.search')}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <WhenLoaded of={tools}>
        {(listed) => (
          <ul class="cards">
            {listed
              .filter(({ name, description }) =>
                `${name} ${description}`.toLowerCase().includes(words.trim().toLowerCase()),
              )
              .map((tool) => (
                <li key={tool.name} class="card">
                  <div class="row wrap">
                    <a
                      href={hrefOf('tools', tool.name === id ? undefined : tool.name)}
                      aria-expanded={tool.name === id}
                    >
                      <strong>{tool.name}</strong>
                    </a>
                    {tool.requiresPermission && <span class="state paused">{t('tools.asks')}</span>}
                  </div>
                  <p class={tool.name === id ? 'pre' : 'clip'}>{tool.description}</p>
                  {tool.name === id && <TryTool tool={tool} />}
                </li>
              ))}
          </ul>
        )}
      </WhenLoaded>
    </Page>
  );
}

function TryTool({ tool }: { tool: Tool }) {
  const form = useRef<HTMLFormElement>(null);
  const [written, setWritten] = useState<Written>({});
  const [result, setResult] = useState<Output<'tools.invoke'>>();
  const [problem, setProblem] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const schema = (tool.inputSchema ?? {}) as ObjectSchema;
  // A link to one tool leads to it, wherever it is in the list.
  useLayoutEffect(() => form.current?.closest('.card')?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        setRunning(true);
        setProblem(undefined);
        try {
          const args = valuesOf(schema, written);
          // Pressing the button is the person's permission for exactly this call.
          setResult(await call('tools.invoke', { name: tool.name, args, mode: 'auto' }));
        } catch (failed) {
          setProblem(failed);
        } finally {
          setRunning(false);
        }
      }}
    >
      <SchemaForm schema={schema} written={written} onChange={setWritten} />
      <div class="row">
        <button type="submit" class={tool.requiresPermission ? 'button danger' : 'button primary'} disabled={isRunning}>
          {t(isRunning ? 'tools.running' : 'tools.try')}
        </button>
        {tool.requiresPermission && <span class="quiet">{t('tools.allowed')}</span>}
      </div>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {result && (
        <pre class={result.result.ok ? 'output' : 'output failed'} tabIndex={0}>
          {result.text}
        </pre>
      )}
    </form>
  );
}

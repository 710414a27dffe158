// A call of a tool: what it was called with, what it shows while it runs, and what it returned.
import { useEffect, useRef, useState } from 'preact/hooks';
import { pictureAddress } from '../api/turns.ts';
import { durationText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { isDiff } from './diff-lines.ts';
import { DiffView } from './diff-view.tsx';
import { FoundPages, foundPagesIn } from './found-pages.tsx';
import { resultText } from './result-text.ts';
import { tellingArgument } from './telling-argument.ts';
import type { Part } from './turn-view.ts';

type ToolPart = Extract<Part, { kind: 'tool' }>;

const MOST_SHOWN = 20_000;

export function ToolCard({ part, isAsked, session }: { part: ToolPart; isAsked: boolean; session: string }) {
  const { call, result, output } = part;
  const isRunning = result === undefined;
  const [isOpen, setOpen] = useState<boolean | undefined>(undefined);
  const isShown = isOpen ?? (isRunning && output !== '');
  return (
    <div role="group" class={`tool ${isRunning ? 'running' : result.ok ? 'ok' : 'failed'}`} aria-label={call.name}>
      <button type="button" class="tool-head" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
        <span class="tool-state" aria-hidden="true" />
        <strong>{call.name}</strong>
        <span class="tool-about">{tellingArgument(call.args)}</span>
        <span class="quiet">
          {isAsked
            ? t('tool.asked')
            : isRunning
              ? t('tool.running')
              : result.ok
                ? durationText(result.meta.durationMs)
                : t('tool.failed')}
        </span>
        <Icon name={isShown ? 'down' : 'right'} />
      </button>
      {isShown && <ToolBody part={part} session={session} />}
    </div>
  );
}

function ToolBody({ part: { call, result, output }, session }: { part: ToolPart; session: string }) {
  const shown = result === undefined ? output : resultText(result);
  const found = foundPagesIn(result?.data);
  return (
    <div class="tool-body">
      <Arguments args={call.args} />
      {result !== undefined && !result.ok && <p class="problem-text">{result.error.message}</p>}
      {found ? (
        <FoundPages {...found} />
      ) : isDiff(shown) ? (
        <DiffView diff={shown} />
      ) : (
        shown !== '' && <Output text={shown} follows={result === undefined} />
      )}
      {result?.meta.tainted && <p class="quiet">{t('tool.tainted')}</p>}
      {result?.pictures?.map(({ path, mediaType }) => (
        <img
          key={path}
          class="picture"
          src={pictureAddress(session, path)}
          alt={t('tool.picture', { type: mediaType })}
        />
      ))}
    </div>
  );
}

function Arguments({ args }: { args: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(args);
  if (entries.length === 0) return null;
  return (
    <dl class="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The newest lines stay in view while a command runs. */
function Output({ text, follows }: { text: string; follows: boolean }) {
  const place = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (follows && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [text, follows]);
  return (
    <pre class="output" ref={place} tabIndex={0}>
      {text.slice(-MOST_SHOWN)}
    </pre>
  );
}

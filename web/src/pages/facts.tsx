// The facts that were extracted from conversations: what a person must decide, and what was changed when.
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { timeText } from '../language/format.ts';
import { type TextKey, t, wordText } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { hrefOf } from '../router.ts';

type Log = Output<'memory.log'>;

export function Facts({ scope }: { scope: { scope?: string } }) {
  const log = useLoaded((abort) => call('memory.log', { limit: 30, ...scope }, abort), [scope.scope]);
  useStream(['changed', 'reset'], log.reload);
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">{t('facts.title')}</h2>
      <WhenLoaded of={log}>
        {({ off, waiting, proposals, extractions }) => (
          <>
            {off !== undefined && <Off code={off.code} />}
            {waiting.turns > 0 && <p class="quiet">{t('facts.waiting', { count: waiting.turns })}</p>}
            {proposals.map((proposal) => (
              <ProposalCard key={proposal.number} proposal={proposal} onDone={log.reload} />
            ))}
            {off === undefined && extractions.length === 0 && <p class="quiet">{t('facts.none')}</p>}
            <ul class="cards">
              {extractions.map((extraction) => (
                <ExtractionCard key={extraction.number} extraction={extraction} onDone={log.reload} />
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

const OFF: Record<NonNullable<Log['off']>['code'], TextKey> = {
  'no-model': 'facts.noModel',
  'switched-off': 'facts.off',
  'unknown-provider': 'facts.unknownProvider',
};

/** Why no facts are extracted, with what to do about it here. */
function Off({ code }: { code: keyof typeof OFF }) {
  const isModelMissing = code === 'no-model';
  return (
    <p class="quiet">
      {t(OFF[code])}{' '}
      <a href={hrefOf(isModelMissing ? 'setup' : 'settings')}>{t(isModelMissing ? 'home.setUp' : 'page.settings')}</a>
    </p>
  );
}

const WHY: Record<Log['proposals'][number]['why'], TextKey> = {
  tainted: 'facts.tainted',
  contradicts: 'facts.contradicts',
};

export function ProposalCard({ proposal, onDone }: { proposal: Log['proposals'][number]; onDone(): void }) {
  const { number, text, why, sessionKey, saidAt, otherText } = proposal;
  const settle = async (name: 'memory.accept' | 'memory.reject'): Promise<void> => {
    await attempt(() => call(name, { number }));
    onDone();
  };
  return (
    <div class="card row wrap">
      <div class="grow">
        <p>
          <strong>{text}</strong>
        </p>
        <p class="quiet">
          {t(WHY[why])} {otherText}
        </p>
        <p class="quiet">
          <a href={hrefOf('chat', sessionKey)}>{sessionKey}</a> · {timeText(saidAt)}
        </p>
      </div>
      <button type="button" class="button primary" onClick={() => void settle('memory.accept')}>
        {t('facts.accept')}
      </button>
      <button type="button" class="button" onClick={() => void settle('memory.reject')}>
        {t('facts.reject')}
      </button>
    </div>
  );
}

function ExtractionCard({ extraction, onDone }: { extraction: Log['extractions'][number]; onDone(): void }) {
  const { number, sessionKey, at, changes, problem, undoneAt, turns } = extraction;
  return (
    <li class="card">
      <div class="row">
        <span class="grow quiet">
          {timeText(at)} · <a href={hrefOf('chat', sessionKey)}>{sessionKey}</a> · {t('facts.turns', { count: turns })}
        </span>
        {undoneAt === undefined && changes.length > 0 && (
          <button
            type="button"
            class="button small"
            onClick={async () => {
              await attempt(() => call('memory.undo', { number }));
              onDone();
            }}
          >
            <Icon name="undo" /> {t('facts.undo')}
          </button>
        )}
        {undoneAt !== undefined && <span class="state">{t('facts.undone')}</span>}
      </div>
      {problem !== undefined && <p class="problem-text">{problem}</p>}
      {problem === undefined && changes.length === 0 && <p class="quiet">{t('facts.nothing')}</p>}
      <ul class="lines">
        {changes.map(({ relation, kind, id, text, otherText }, index) => (
          <li key={`${index}-${id}`}>
            <span class="state">{wordText(relation)}</span> {text ?? t('facts.forgotten')}{' '}
            <span class="quiet">
              {wordText(kind)}
              {otherText !== undefined && ` · ${t('facts.before', { text: otherText })}`}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}

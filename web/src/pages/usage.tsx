// What models have used, with the caps of a day.
import { call } from '../api/call.ts';
import { costText, numberText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { hrefOf } from '../router.ts';

export default function Usage() {
  const today = useLoaded((abort) => call('usage.today', {}, abort), []);
  useStream(['run-end', 'reset'], today.reload);
  return (
    <Page title={t('page.usage')} about={t('usage.about')}>
      <WhenLoaded of={today}>
        {({ day, tokens, costUsd, dailyMaxTokens, dailyMaxCostUsd }) => (
          <>
            <h2>{t('usage.today', { day })}</h2>
            <div class="cards grid">
              <Amount
                label={t('usage.tokens')}
                shown={numberText(tokens)}
                value={tokens}
                cap={dailyMaxTokens}
                capShown={dailyMaxTokens === undefined ? '' : numberText(dailyMaxTokens)}
              />
              <Amount
                label={t('usage.cost')}
                shown={costText(costUsd)}
                value={costUsd}
                cap={dailyMaxCostUsd}
                capShown={dailyMaxCostUsd === undefined ? '' : costText(dailyMaxCostUsd)}
              />
            </div>
            {dailyMaxTokens === undefined && dailyMaxCostUsd === undefined && (
              <p class="quiet">
                {t('usage.noCaps')} <a href={hrefOf('settings')}>{t('page.settings')}</a>
              </p>
            )}
          </>
        )}
      </WhenLoaded>
    </Page>
  );
}

function Amount(props: { label: string; shown: string; value: number; cap: number | undefined; capShown: string }) {
  return (
    <div class="card">
      <p class="quiet">{props.label}</p>
      <p class="figure">{props.shown}</p>
      {props.cap !== undefined && (
        <p>
          <meter min={0} max={props.cap} high={props.cap * 0.8} value={props.value} aria-label={props.label} />{' '}
          {t('usage.of', { cap: props.capShown })}
        </p>
      )}
    </div>
  );
}

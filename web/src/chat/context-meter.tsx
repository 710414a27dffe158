// How full the model's window is after the last answer, and what the conversation has cost.
import { costText, numberText } from '../language/format.ts';
import { t } from '../language/language.ts';
import type { TurnView } from './turn-view.ts';

export function ContextMeter({ turns }: { turns: readonly TurnView[] }) {
  const context = turns.findLast((turn) => turn.context)?.context;
  const costs = turns.flatMap(({ end, usage }) => (end?.usage ?? usage)?.costUsd ?? []);
  const cost = costs.reduce((sum, each) => sum + each, 0);
  const percent = context?.window === undefined ? undefined : Math.round((100 * context.tokens) / context.window);
  return (
    <span class="meter">
      {context && (
        <span class="row" title={t('chat.contextTitle')}>
          {percent !== undefined && (
            <meter min={0} max={100} high={80} value={percent} aria-label={t('chat.context')} />
          )}
          {percent === undefined
            ? t('tokens', { count: numberText(context.tokens) })
            : t('chat.contextFull', { percent })}
        </span>
      )}
      {cost > 0 && <span title={t('chat.costTitle')}>{costText(cost)}</span>}
    </span>
  );
}

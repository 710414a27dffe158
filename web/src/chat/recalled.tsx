// What was found in memory for a question: where it came from, and, once it is opened, what it says.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { numberText, timeText } from '../language/format.ts';
import { personText, t, wordText } from '../language/language.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import { isOwner } from '../state/me.ts';
import type { Part } from './turn-view.ts';

type RecalledPart = Extract<Part, { kind: 'recalled' }>;

export function Recalled(props: Pick<RecalledPart, 'items' | 'tokens'> & { session: string; turn: string }) {
  const { items, tokens, session, turn } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="recalled" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('chat.recalled', { count: items.length, tokens: numberText(tokens) })}</summary>
      {isOpen && <Items items={items} session={session} turn={turn} />}
    </details>
  );
}

function Items({ items, session, turn }: Pick<RecalledPart, 'items'> & { session: string; turn: string }) {
  // The texts are where they were found; one that was forgotten since has none. Without them the places are shown.
  const why = useLoaded(
    async (abort) => (isOwner.value ? (await call('memory.why', { session, turn }, abort)).recalled : []),
    [session, turn],
  );
  return (
    <ul class="lines">
      {items.map(({ id, position, source, scope, date }, index) => (
        <li key={`${id}-${position}-${source}`}>
          {why.value?.[index]?.text !== undefined && <p class="pre">{why.value[index].text}</p>}
          {wordText(source)}{' '}
          <span class="quiet">{[personText(scope), timeText(date)].filter((each) => each !== '').join(' · ')}</span>
        </li>
      ))}
    </ul>
  );
}

// What runs now, in a few lines: the call of a turn with the end of its output, for where the whole card is not in view.
import { t } from '../language/language.ts';
import { isOpenQuestion } from './rows.ts';
import { tellingArgument } from './telling-argument.ts';
import type { Part, TurnView } from './turn-view.ts';

const LINES = 8;

export function LivePane({ turn, lines = LINES }: { turn: TurnView | undefined; lines?: number }) {
  const part = turn && runningCall(turn);
  if (!part) return null;
  const { call, output } = part;
  return (
    <div role="group" class="live-pane" aria-label={t('live.of', { name: call.name })}>
      <p class="row">
        <strong>{call.name}</strong> <code class="tool-about">{tellingArgument(call.args)}</code>
      </p>
      {output !== '' && (
        <pre class="output" tabIndex={0}>
          {lastLines(output, lines)}
        </pre>
      )}
    </div>
  );
}

function runningCall({ state, parts }: TurnView): Extract<Part, { kind: 'tool' }> | undefined {
  if (state === 'ended') return undefined;
  const index = parts.findLastIndex(({ kind }) => kind === 'tool');
  const part = parts[index];
  // What a person is asked about has not begun.
  return part?.kind === 'tool' && part.result === undefined && !isOpenQuestion(parts[index + 1]) ? part : undefined;
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

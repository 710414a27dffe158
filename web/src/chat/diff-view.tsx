// A diff: in two columns where there is room, in one on a phone.
import { t } from '../language/language.ts';
import { type DiffLine, diffLines, sideBySide } from './diff-lines.ts';

export function DiffView({ diff }: { diff: string }) {
  const lines = diffLines(diff);
  return (
    <div role="group" class="diff" aria-label={t('diff')} tabIndex={0}>
      <table class="diff-columns">
        <tbody>
          {sideBySide(lines).map((pair, index) => (
            <tr key={index} class={pair.left?.kind === 'head' ? 'head' : undefined}>
              <Cell line={pair.left} side="before" />
              {pair.left?.kind !== 'head' && <Cell line={pair.right} side="after" />}
            </tr>
          ))}
        </tbody>
      </table>
      <table class="diff-single">
        <tbody>
          {lines.map((line, index) => (
            <tr key={index} class={line.kind}>
              <td class="sign">{line.kind === 'added' ? '+' : line.kind === 'removed' ? '−' : ''}</td>
              <td>{line.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ line, side }: { line: DiffLine | undefined; side: 'before' | 'after' }) {
  if (!line)
    return (
      <>
        <td class="number" />
        <td class="none" />
      </>
    );
  if (line.kind === 'head')
    return (
      <td class="head" colSpan={4}>
        {line.text}
      </td>
    );
  return (
    <>
      <td class="number">{line[side]}</td>
      <td class={line.kind}>{line.text}</td>
    </>
  );
}

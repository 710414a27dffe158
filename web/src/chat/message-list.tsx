// The conversation as a list that draws only the rows in view, however long it is. It stays at the end while an answer grows,
// unless the person has scrolled up.
import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { LivePane } from './live-pane.tsx';
import { MessageRow, type TurnActions } from './message-row.tsx';
import { isOpenQuestion, type Row } from './rows.ts';

const ESTIMATED_HEIGHT = 90;
const NEAR_END = 120;
const NEAR_START = 400;
const LIVE_LINES = 4;

interface MessageListProps {
  rows: readonly Row[];
  actions: TurnActions;
  /** Grows with each message that is sent here: what a person has just written is shown, wherever they had scrolled to. */
  sent: number;
  onNearStart(): void;
}

/** The index of the newest; below zero where there is none. */
function openQuestionIn(rows: readonly Row[]): number {
  return rows.findLastIndex((row) => row.kind === 'part' && isOpenQuestion(row.part));
}

export function MessageList({ rows, actions, sent, onNearStart }: MessageListProps) {
  const place = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const rowsNow = useRef(rows);
  rowsNow.current = rows;
  const [list] = useState(
    () =>
      new Virtualizer<HTMLDivElement, HTMLDivElement>({
        count: rows.length,
        getScrollElement: () => place.current,
        estimateSize: () => ESTIMATED_HEIGHT,
        getItemKey: (index) => rowsNow.current[index]?.key ?? index,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        measureElement,
        anchorTo: 'end',
        followOnAppend: true,
        scrollEndThreshold: NEAR_END,
        overscan: 6,
        onChange: () => redraw(undefined as never),
      }),
  );
  // The library follows only what is appended while it knows itself at the end; on a slow machine it learns late where it is.
  const follows = useRef(true);
  const drawn = useRef({ top: 0, height: 0 });
  const onScroll = ({ scrollTop: top, scrollHeight: height, clientHeight }: HTMLDivElement): void => {
    if (height - top - clientHeight <= NEAR_END) follows.current = true;
    // A list that became shorter moves by itself.
    else if (top < drawn.current.top && height >= drawn.current.height) follows.current = false;
    drawn.current = { top, height };
    if (top < NEAR_START) onNearStart();
  };
  list.setOptions({ ...list.options, count: rows.length });
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());
  // Heights are only known once rows were drawn: a second jump lands at the very end.
  useLayoutEffect(() => {
    follows.current = true;
    list.scrollToEnd();
    const later = requestAnimationFrame(() => {
      if (follows.current) list.scrollToEnd();
    });
    return () => cancelAnimationFrame(later);
  }, [sent]);

  const isAway = list.getTotalSize() - (list.scrollOffset ?? 0) - (list.scrollRect?.height ?? 0) > NEAR_END;
  const begun = useRef<string>(undefined);
  useLayoutEffect(() => {
    const index = openQuestionIn(rows);
    const question = list.getVirtualItems().find((item) => item.index === index);
    // A question that is longer than the window is read from its beginning.
    const isLong = question && list.getTotalSize() - question.start > (list.scrollRect?.height ?? 0);
    if (isLong && follows.current && begun.current !== rows[index]?.key) {
      begun.current = rows[index]?.key;
      follows.current = false;
      list.scrollToIndex(index, { align: 'start' });
    } else if (isAway && follows.current) list.scrollToEnd();
  });
  return (
    <div class="messages-frame">
      <div
        ref={place}
        class="messages"
        role="log"
        aria-label={t('chat.messages')}
        tabIndex={0}
        // Before the library hears of it and draws.
        onScrollCapture={({ currentTarget }) => onScroll(currentTarget)}
      >
        <div class="messages-inside" style={{ height: `${list.getTotalSize()}px` }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  class="message-row"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <MessageRow row={row} actions={actions} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {isAway && (
        <div class="below">
          <button
            type="button"
            class="to-end icon-button"
            aria-label={t('chat.toEnd')}
            onClick={() => {
              follows.current = true;
              list.scrollToEnd();
            }}
          >
            <Icon name="down" />
          </button>
          <LivePane turn={rows.at(-1)?.turn} lines={LIVE_LINES} />
        </div>
      )}
    </div>
  );
}

// The command palette: a page, a conversation or an action by a few letters. Ctrl+K or ⌘K opens it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, t } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { enter } from '../router.ts';
import { pageLinks } from '../sidebar.tsx';
import { sessions, titleOf } from '../state/conversations.ts';
import { chooseTheme, THEMES } from '../state/theme.ts';
import { matchScore } from './match-score.ts';

interface Command {
  id: string;
  icon: IconName;
  name: string;
  run(): void;
}

const MOST_SHOWN = 12;

export function isPaletteKey(event: KeyboardEvent): boolean {
  return event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
}

export function CommandPalette({ onClose }: { onClose(): void }) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const shown = allCommands()
    .map((command) => ({ command, score: matchScore(words, command.name) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_SHOWN)
    .map(({ command }) => command);
  const chosen = shown[Math.min(at, shown.length - 1)];
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    // Behind an open dialog nothing takes the focus.
    list.current?.closest('dialog')?.close();
    command.run();
  };
  return (
    <Dialog title={t('palette.title')} class="palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosen && `command-${chosen.id}`}
        aria-label={t('palette.title')}
        placeholder={t('palette.placeholder')}
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(at + 1, shown.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
          else if (event.key === 'Enter') run(chosen);
          else return;
          event.preventDefault();
        }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label={t('palette.title')}>
        {shown.map((command) => (
          <li
            key={command.id}
            id={`command-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onMouseDown={(event) => {
              event.preventDefault();
              run(command);
            }}
          >
            <Icon name={command.icon} /> {command.name}
          </li>
        ))}
      </ul>
      {shown.length === 0 && (
        <p class="quiet" role="status">
          {t('palette.none')}
        </p>
      )}
    </Dialog>
  );
}

function allCommands(): Command[] {
  return [
    { id: 'new', icon: 'plus', name: t('chat.new'), run: () => enter('chat') },
    ...pageLinks().map(({ page, icon, name }): Command => ({ id: page, icon, name: t(name), run: () => enter(page) })),
    ...THEMES.map(
      (theme): Command => ({
        id: `theme-${theme}`,
        icon: 'gear',
        name: t('palette.theme', { theme: t(`theme.${theme}`) }),
        run: () => chooseTheme(theme),
      }),
    ),
    ...LANGUAGES.map(
      (each): Command => ({
        id: `language-${each}`,
        icon: 'gear',
        name: t('palette.language', { language: LANGUAGE_NAMES[each] }),
        run: () => void chooseLanguage(each),
      }),
    ),
    ...(sessions.value ?? []).map(
      (entry): Command => ({
        id: entry.sessionId,
        icon: 'chat',
        name: titleOf(entry),
        run: () => enter('chat', entry.sessionKey),
      }),
    ),
  ];
}

// The frame of the console: a visitor who is not signed in sees how to sign in; everybody else gets the sidebar and the page of the route.
import { useEffect, useState } from 'preact/hooks';
import { call, isSignedIn } from './api/call.ts';
import { readMe } from './api/turns.ts';
import { isConnected, streamStarted } from './events/stream.ts';
import { t } from './language/language.ts';
import { PageView } from './page-view.tsx';
import { CommandPalette, isPaletteKey } from './palette/command-palette.tsx';
import { Icon } from './parts/icon.tsx';
import { Loading, ProblemNote } from './parts/notes.tsx';
import { Toasts } from './parts/toast.tsx';
import { useLoaded } from './parts/use-loaded.ts';
import { focusContent, goTo, route } from './router.ts';
import { Sidebar } from './sidebar.tsx';
import { followConversations, loadSessions, sessions, titleOf } from './state/conversations.ts';
import { isOwner, me } from './state/me.ts';
import { followLongTurns, notifyQuestion } from './state/notifications.ts';
import { followQuestions, loadQuestions } from './state/questions.ts';

const CHAT_ONLY = 'lainclaw-chat-only';

export function App() {
  const opened = useLoaded(open, []);
  if (!isSignedIn.value) return <SignIn />;
  if (opened.kind === 'failed')
    return (
      <main class="alone">
        <ProblemNote problem={opened.problem} onRetry={opened.reload} />
      </main>
    );
  return opened.kind === 'loading' ? (
    <main class="alone">
      <Loading />
    </main>
  ) : (
    <Shell />
  );
}

async function open(): Promise<true> {
  const signedIn = await readMe();
  me.value = signedIn;
  followConversations();
  followQuestions(notifyQuestion);
  followLongTurns();
  await streamStarted(signedIn.person.id);
  await Promise.all([loadSessions(), loadQuestions()]);
  if (isOwner.value && sessions.value?.length === 0 && route.value.page === 'home') await openSetup();
  return true;
}

/** The first thing that a new person sees is how to connect a model. */
async function openSetup(): Promise<void> {
  const { present } = await call('setup.detect', {});
  if (!present.isConnected) goTo('setup');
}

function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isAlone, setAlone] = useState(localStorage.getItem(CHAT_ONLY) !== null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      setPaletteOpen((before) => !before);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class={isAlone ? 'shell chat-only' : 'shell'}>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          focusContent();
        }}
      >
        {t('skip')}
      </a>
      <Sidebar isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      {isMenuOpen && <div class="veil" onMouseDown={() => setMenuOpen(false)} />}
      <main id="content" tabIndex={-1} class={route.value.page === 'chat' ? 'content is-chat' : 'content'}>
        <div class="top-bar">
          <button
            type="button"
            class="icon-button only-phone"
            aria-label={t('menu')}
            aria-expanded={isMenuOpen}
            aria-controls="sidebar"
            onClick={() => setMenuOpen(true)}
          >
            <Icon name="menu" />
          </button>
          <button
            type="button"
            class="icon-button not-phone"
            aria-label={t('chatOnly')}
            title={t('chatOnly')}
            aria-pressed={isAlone}
            onClick={() => {
              setAlone(!isAlone);
              if (isAlone) localStorage.removeItem(CHAT_ONLY);
              else localStorage.setItem(CHAT_ONLY, '');
            }}
          >
            <Icon name="menu" />
          </button>
          {route.value.page === 'chat' ? <ChatTitle /> : <span class="grow" />}
          <button type="button" class="search-button" onClick={() => setPaletteOpen(true)}>
            <Icon name="search" /> <span class="search-name">{t('palette.open')}</span> <kbd>Ctrl K</kbd>
          </button>
        </div>
        {!isConnected.value && (
          <p class="lost" role="status">
            {t('connection.lost')}
          </p>
        )}
        <PageView />
      </main>
      {isPaletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
      <Toasts />
    </div>
  );
}

function ChatTitle() {
  const { id } = route.value;
  const entry = sessions.value?.find(({ sessionKey, sessionId }) => sessionKey === id || sessionId === id);
  return <h1 class="chat-title grow">{entry ? titleOf(entry) : (id ?? t('chat.new'))}</h1>;
}

function SignIn() {
  return (
    <main class="alone sign-in">
      <img src="./icon.svg" alt="" width="56" height="56" />
      <h1>Lainclaw</h1>
      <p>{t('signIn.text')}</p>
      <pre class="output">lainclaw up</pre>
      <p class="quiet">{t('signIn.why')}</p>
      <p>
        <a href="./login">{t('signIn.other')}</a>
      </p>
    </main>
  );
}

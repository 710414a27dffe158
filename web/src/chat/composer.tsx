// Where a person writes: Enter sends, Shift+Enter begins a line. While a turn runs, what is sent joins it.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { bytesText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { say } from '../parts/toast.tsx';
import { hrefOf } from '../router.ts';
import { keepDraft, keepSentId, readDraft, readSentId } from './drafts.ts';
import { droppedFiles } from './dropped-files.ts';
import type { AgainFile } from './sent-files.ts';

export interface Message {
  /** The same when it is sent again because it was not taken. */
  id: string;
  text: string;
  files: readonly File[];
  /** Files of an earlier question that are sent again. */
  again?: readonly AgainFile[];
}

export interface ComposerProps {
  /** The conversation whose draft it is; empty for a new one. Each conversation has a form of its own. */
  session: string;
  isRunning: boolean;
  /** A text to begin with, such as a question that is edited; each new object replaces what is there, or is put before it. */
  begin?: { text: string; again?: readonly AgainFile[]; isAdded?: boolean };
  /** Ids of messages that the gateway has. */
  accepted?: ReadonlySet<string>;
  /** The question that the message replaces, with everything that follows it. */
  replaces?: string;
  onKeepQuestion?(): void;
  /** Resolves with true when the message was taken; otherwise it stays. */
  onSend(message: Message): Promise<boolean>;
  onStop(): void;
  children?: preact.ComponentChildren;
}

const MOST_HEIGHT = 240;

export function Composer(props: ComposerProps) {
  const { session, isRunning, begin, accepted, replaces, onKeepQuestion, onSend, onStop, children } = props;
  const [text, setText] = useState(() => readDraft(session));
  const [files, setFiles] = useState<readonly File[]>([]);
  const [again, setAgain] = useState<readonly AgainFile[]>([]);
  const isEmpty = text.trim() === '' && files.length === 0 && again.length === 0;
  const [isSending, setSending] = useState(false);
  const [isOver, setOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const id = useRef(readSentId(session) ?? newMessageId());
  const renewId = (): void => {
    id.current = newMessageId();
    keepSentId(session, undefined);
  };
  const isNextWanted = useRef(false);
  /** What was typed before a text came to its place: it comes back behind that. */
  const setAside = useRef<string | undefined>(undefined);
  const takeBack = (): string => {
    const { current = '' } = setAside;
    setAside.current = undefined;
    return current;
  };

  const add = (list: Iterable<File> | null | undefined): void => setFiles((before) => [...before, ...(list ?? [])]);
  const drop = (dropped: DataTransfer): void => {
    const { files: sent, folders } = droppedFiles(dropped);
    add(sent);
    if (folders.length > 0) say(t('chat.folderDropped', { name: folders.join(', ') }));
  };
  useEffect(() => onFilesDropped({ over: setOver, drop }), []);
  useEffect(() => {
    if (!begin) return;
    renewId();
    if (!begin.isAdded) setAside.current ??= text;
    setText((before) => (begin.isAdded ? [begin.text, before].filter((part) => part !== '').join('\n\n') : begin.text));
    if (!begin.isAdded) setAgain(begin.again ?? []);
    field.current?.focus();
  }, [begin]);
  useEffect(() => {
    if (isFieldWanted(session)) field.current?.focus();
  }, []);
  useEffect(() => keepDraft(session, text), [text]);
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight, MOST_HEIGHT)}px`;
  }, [text]);

  async function send(): Promise<void> {
    if (isSending) {
      isNextWanted.current = true;
      return;
    }
    if (isEmpty) return;
    setSending(true);
    keepSentId(session, id.current);
    const isTaken = await onSend({ id: id.current, text, files, again });
    setSending(false);
    isNextWanted.current &&= isTaken;
    if (!isTaken) return;
    renewId();
    // Not left to the effect: the first message of a conversation leads to another page, which ends this form.
    const typed = withoutSent(field.current?.value ?? '', text) || takeBack();
    keepDraft(session, typed);
    setText(typed);
    setFiles((now) => now.filter((file) => !files.includes(file)));
    setAgain([]);
    field.current?.focus();
  }
  // Its answer was lost, with the page that sent it or with the connection.
  useEffect(() => {
    if (isSending || !accepted?.has(`message-${id.current}`)) return;
    renewId();
    keepDraft(session, '');
    setText('');
  }, [accepted, isSending]);
  // What was typed and sent while another message was on its way.
  useEffect(() => {
    if (isSending || !isNextWanted.current) return;
    isNextWanted.current = false;
    void send();
  }, [isSending]);

  return (
    <form
      class={isOver ? 'composer over' : 'composer'}
      aria-label={t('chat.composer')}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {replaces !== undefined && (
        <p class="replaces">
          <Icon name="edit" /> <span class="grow">{t('chat.replaces', { question: replaces })}</span>
          <button
            type="button"
            class="icon-button small"
            aria-label={t('chat.keepQuestion')}
            title={t('chat.keepQuestion')}
            onClick={() => {
              setText(takeBack());
              setAgain([]);
              onKeepQuestion?.();
              field.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        </p>
      )}
      {files.length + again.length > 0 && (
        <ul class="chips" aria-label={t('chat.files')}>
          {again.map((file) => (
            <FileChip key={file.id} name={file.name} onRemove={() => setAgain(again.filter((each) => each !== file))} />
          ))}
          {files.map((file, index) => (
            <FileChip
              key={`${index} ${file.name}`}
              name={file.name}
              size={file.size}
              onRemove={() => setFiles(files.filter((each) => each !== file))}
            />
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label={t('chat.message')}
        placeholder={t(isRunning ? 'chat.steerHere' : 'chat.writeHere')}
        onInput={(event) => {
          renewId();
          // Not left to the effect, which runs after the page is drawn: a reload can come before.
          keepDraft(session, event.currentTarget.value);
          setText(event.currentTarget.value);
        }}
        onPaste={({ clipboardData }) => {
          // Spreadsheets put a picture of the cells beside their text.
          if (clipboardData?.getData('text/plain') === '') add(clipboardData.files);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="composer-foot">
        <input
          ref={chooser}
          type="file"
          multiple
          class="hidden"
          tabIndex={-1}
          aria-hidden="true"
          onChange={(event) => {
            add(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
        <button
          type="button"
          class="icon-button"
          aria-label={t('chat.attach')}
          onClick={() => chooser.current?.click()}
        >
          <Icon name="attach" />
        </button>
        {children}
        <span class="grow" />
        {isRunning && (
          <button type="button" class="icon-button stop" aria-label={t('chat.stop')} onClick={onStop}>
            <Icon name="stop" />
          </button>
        )}
        <button
          type="submit"
          class="icon-button send"
          aria-label={t(isRunning ? 'chat.steer' : 'chat.send')}
          disabled={isSending || isEmpty}
        >
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

/** Who begins a conversation writes next. Whoever touches the page opens a keyboard over it with the field. */
function isFieldWanted(session: string): boolean {
  if (matchMedia('(pointer: coarse)').matches) return false;
  const { activeElement: focused, body } = document;
  if (focused?.id === 'content') return true;
  return session === '' && (focused === body || focused?.getAttribute('href') === hrefOf('chat'));
}

/** What was typed behind a message, or in its place, while it was being sent. */
function withoutSent(typed: string, sent: string): string {
  return typed.startsWith(sent) ? typed.slice(sent.length).trimStart() : typed;
}

/** Not `randomUUID`, which browsers have only where the connection counts as safe. */
function newMessageId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function FileChip({ name, size, onRemove }: { name: string; size?: number; onRemove(): void }) {
  return (
    <li class="chip">
      <Icon name="file" /> {name} {size !== undefined && <span class="quiet">{bytesText(size)}</span>}
      <button type="button" class="icon-button small" aria-label={t('chat.removeFile', { name })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

/** Files may be dropped anywhere on the page: beside the form the browser would leave the page to show them. Returns how to stop. */
function onFilesDropped(on: { over(isOver: boolean): void; drop(dropped: DataTransfer): void }): () => void {
  const isOfFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
  const over = (event: DragEvent): void => {
    if (!isOfFiles(event)) return;
    event.preventDefault();
    on.over(true);
  };
  const leave = (event: DragEvent): void => {
    // Leaving one element for another one has the other as its target.
    if (event.relatedTarget === null) on.over(false);
  };
  const drop = (event: DragEvent): void => {
    if (!isOfFiles(event)) return;
    event.preventDefault();
    on.over(false);
    if (event.dataTransfer) on.drop(event.dataTransfer);
  };
  addEventListener('dragover', over);
  addEventListener('dragleave', leave);
  addEventListener('drop', drop);
  return () => {
    removeEventListener('dragover', over);
    removeEventListener('dragleave', leave);
    removeEventListener('drop', drop);
  };
}

// A modal dialog of the browser: it keeps the focus, gives it back to what had it, and Escape closes it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../language/language.ts';
import { Icon } from './icon.tsx';

export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren; class?: string }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = element;
    const opener = document.activeElement;
    current?.showModal();
    // The browser begins with the first button, which closes it.
    focusFirstField(current);
    return () => {
      // The browser gives the focus back when it closes a dialog, not when one is removed.
      if (current?.open && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${props.class ?? ''}`}
      aria-label={props.title}
      onClose={props.onClose}
      onMouseDown={(event) => {
        if (event.target === element.current) element.current?.close();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2>{props.title}</h2>
          <button type="button" class="icon-button" aria-label={t('close')} onClick={() => element.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

/** Also where a dialog goes on to its next step. */
export function focusFirstField(place: HTMLElement | null): void {
  place?.querySelector<HTMLElement>('input:not([type=file]), select, textarea')?.focus();
}

/** Asks before something is removed for good. */
export function ConfirmDialog(props: {
  title: string;
  text: string;
  action: string;
  onConfirm(): void;
  onClose(): void;
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p>{props.text}</p>
      <div class="row end">
        <button type="button" class="button" onClick={props.onClose}>
          {t('cancel')}
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            props.onConfirm();
            props.onClose();
          }}
        >
          {props.action}
        </button>
      </div>
    </Dialog>
  );
}

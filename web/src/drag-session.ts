// A conversation of the sidebar is dragged into a folder, or out of all of them. With the keyboard the dialog that renames it does the same.
import { useState } from 'preact/hooks';
import { call } from './api/call.ts';
import { attempt } from './parts/toast.tsx';
import { loadSessions } from './state/conversations.ts';

const TYPE = 'application/x-lainclaw-session';

export function dragSession(event: DragEvent, session: string): void {
  event.dataTransfer?.setData(TYPE, session);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
}

/** `folder`: where a conversation belongs that is dropped here; undefined takes it out of its folder. */
export function useSessionDrop(folder: string | undefined) {
  const [isOver, setOver] = useState(false);
  const isSession = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes(TYPE) === true;
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!isSession(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
        const isInside = (currentTarget as Node).contains(relatedTarget as Node | null);
        if (!isInside) setOver(false);
      },
      onDrop(event: DragEvent) {
        if (!isSession(event)) return;
        event.preventDefault();
        setOver(false);
        const session = event.dataTransfer?.getData(TYPE) ?? '';
        void attempt(async () => {
          await call('folders.assign', { session, ...(folder !== undefined && { folder }) });
          await loadSessions();
        });
      },
    },
  };
}

// The input in the person's own editor. The turn continues meanwhile; what it says is drawn when the editor has ended.
import { editCopy } from '../edit-copy.ts';
import type { Terminal } from '../terminal.ts';
import type { Screen } from './screen.ts';

export interface EditInputDependencies {
  screen: Screen;
  terminal: Terminal;
  notice(text: string): void;
}

/** Whatever becomes of the editor, what was written before is not lost. */
export async function editInput({ screen, terminal, notice }: EditInputDependencies): Promise<void> {
  const { editor } = screen;
  const { VISUAL, EDITOR } = terminal.environment.variables;
  if (!VISUAL && !EDITOR) return notice('No editor is named: set VISUAL or EDITOR, then Ctrl+G opens it.');
  screen.stop('resumed');
  // The editor and the chat are in the foreground together: Ctrl+C is meant for the editor.
  const ignore = (): void => {};
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  try {
    const copy = await editCopy('message.md', editor.getExpandedText(), terminal);
    editor.setText(copy.text.replace(/\n+$/, ''));
    await copy.discard();
  } catch (error) {
    notice((error as Error).message);
  } finally {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener as NodeJS.SignalsListener);
    screen.resume();
  }
}

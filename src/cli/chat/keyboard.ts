// What the keys do that mean the same wherever one is. Those of the input and of questions pass through.
import { EXIT } from '../terminal.ts';
import type { Conversation } from './conversation.ts';
import { keyAction } from './keys.ts';
import type { Pictures } from './pictures.ts';
import type { Screen } from './screen.ts';

export interface KeyboardDependencies {
  screen(): Screen;
  conversation(): Pick<Conversation, 'cancel'> | undefined;
  /** Leaving has begun. */
  isLeaving(): boolean;
  leave(code: number): void;
  notice(text: string): void;
  /** Called with every key. */
  onKey(): void;
  pictures(): Pick<Pictures, 'takePaste' | 'takeClipboard'>;
  /** Puts the input into the person's own editor. */
  edit(): void;
  nextMode(): void;
}

/** Returns whether the key was one of them. */
export function createKeyboard(dependencies: KeyboardDependencies) {
  const { screen, conversation, isLeaving, leave, notice, onKey, pictures, edit, nextMode } = dependencies;
  /** The key before was a Ctrl-C with nothing to end. */
  let leavesNext = false;

  return (data: string): boolean => {
    onKey();
    const { editor, hasPrompt } = screen();
    if (!hasPrompt && pictures().takePaste(data)) {
      screen().refresh();
      return true;
    }
    const state = { hasPrompt, hasText: editor.getText() !== '', isCompleting: editor.isShowingAutocomplete() };
    const action = keyAction(data, state);
    if (action !== 'interrupt') leavesNext = false;
    if (action === 'clear') editor.setText('');
    else if (action === 'interrupt') interrupt();
    else if (action === 'leave') leave(EXIT.done);
    else if (action === 'cancel') conversation()?.cancel();
    else if (action === 'toggle-cards') screen().toggle('cards');
    else if (action === 'toggle-thoughts') screen().toggle('thoughts');
    else if (action === 'next-mode') nextMode();
    else if (action === 'redraw') screen().redraw();
    else if (action === 'suspend') suspend(screen());
    else if (action === 'edit') edit();
    else if (action === 'paste-picture') void pictures().takeClipboard();
    screen().refresh();
    return action !== undefined;
  };

  /** Ends what runs; with nothing running, the second in a row leaves. */
  function interrupt(): void {
    // A turn that does not end must not keep anyone here.
    if (isLeaving()) process.exit(EXIT.cancelled);
    const hasCancelled = conversation()?.cancel() ?? false;
    if (leavesNext && !hasCancelled) {
      leave(EXIT.done);
      return;
    }
    leavesNext = !hasCancelled;
    if (leavesNext) notice('Ctrl+C again leaves');
  }
}

const NOT_STOPPED_MS = 300;

/**
 * Stops the whole job, as the terminal would: on an old Node another process waits for this one, and the shell for that. Where nothing
 * could wake it again (there is no shell), the system stops nobody, and the chat continues.
 */
function suspend(screen: Screen): void {
  let isResumed = false;
  const resume = (): void => {
    if (isResumed) return;
    isResumed = true;
    clearTimeout(timer);
    process.off('SIGCONT', resume);
    screen.resume();
  };
  screen.stop('resumed');
  process.once('SIGCONT', resume);
  const timer = setTimeout(resume, NOT_STOPPED_MS);
  process.kill(0, 'SIGTSTP');
}

/** Output as it arrives, for a person: whole lines, from either stream, at most so much of it. */
export const MOST_SHOWN = 200_000;
/** A line that is longer is shown in pieces: what has no newline yet must not pile up. */
const LONGEST_LINE = 8_000;

export interface ProgressLines {
  add(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Shows what has no newline yet. */
  end(): void;
}

export function createProgressLines(progress: (text: string) => void): ProgressLines {
  const rest = { stdout: '', stderr: '' };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let shown = 0;

  function show(text: string): void {
    if (text === '' || shown > MOST_SHOWN) return;
    shown += text.length;
    progress(shown > MOST_SHOWN ? `${text}… (more output follows, not shown here)\n` : text);
  }

  return {
    add(stream, chunk) {
      if (shown > MOST_SHOWN) return;
      const text = decoders[stream].decode(chunk, { stream: true });
      const newline = text.lastIndexOf('\n') + 1;
      if (newline > 0) show(rest[stream] + text.slice(0, newline));
      rest[stream] = newline > 0 ? text.slice(newline) : rest[stream] + text;
      if (rest[stream].length <= LONGEST_LINE) return;
      show(rest[stream]);
      rest[stream] = '';
    },
    end() {
      for (const text of [rest.stdout, rest.stderr]) show(text === '' ? '' : `${text}\n`);
    },
  };
}

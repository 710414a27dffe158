/** Output as it arrives, for a person: whole lines, from either stream, at most so much of it. */
const SHOWN_BYTES = 200_000;

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
    if (text === '' || shown > SHOWN_BYTES) return;
    shown += text.length;
    progress(shown > SHOWN_BYTES ? `${text}… (more output follows, not shown here)\n` : text);
  }

  return {
    add(stream, chunk) {
      if (shown > SHOWN_BYTES) return;
      const text = rest[stream] + decoders[stream].decode(chunk, { stream: true });
      const newline = text.lastIndexOf('\n') + 1;
      rest[stream] = text.slice(newline);
      show(text.slice(0, newline));
    },
    end() {
      for (const text of [rest.stdout, rest.stderr]) show(text === '' ? '' : `${text}\n`);
    },
  };
}

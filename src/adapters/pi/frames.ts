// Cuts a stream of text into server-sent events. A frame is handed out only when its blank line has arrived, so that
// a later reader never sees half of one.

const BLANK_LINE = '\n\n';
const LONGEST_FRAME = 16 * 1024 * 1024;

export interface Frames {
  /** Whole frames, without their blank line. Throws when a frame grows past any reason. */
  push(text: string): string[];
  /** What is left when the stream has ended. */
  rest(): string;
}

export function createFrames(): Frames {
  // Put together only when a blank line has arrived: a long frame comes in many pieces.
  let pieces: string[] = [];
  let length = 0;
  let isLineEnded = false;
  return {
    push(text) {
      // Carriage returns are only ever line ends here: inside JSON they are escaped.
      const piece = text.replaceAll('\r', '');
      if (piece === '') return [];
      const isFrameEnded = piece.includes(BLANK_LINE) || (isLineEnded && piece.startsWith('\n'));
      pieces.push(piece);
      length += piece.length;
      isLineEnded = piece.endsWith('\n');
      if (length > LONGEST_FRAME && !isFrameEnded) throw new Error('a frame of the stream is too long');
      if (!isFrameEnded) return [];
      const parts = pieces.join('').split(BLANK_LINE);
      const rest = parts.pop() ?? '';
      pieces = [rest];
      length = rest.length;
      isLineEnded = rest.endsWith('\n');
      return parts.map((part) => part.replace(/^\n/, '')).filter((part) => part !== '');
    },
    rest: () => pieces.join('').trim(),
  };
}

/** The data of a frame, or undefined for a comment or a bare event name. */
export function dataOf(frame: string): string | undefined {
  const lines = frame.split('\n').filter((line) => line.startsWith('data:'));
  if (lines.length === 0) return undefined;
  return lines
    .map((line) => line.slice('data:'.length).trim())
    .join('\n')
    .trim();
}

const MOST_LINES_SHOWN = 12;
const LONGEST_LINE_SHOWN = 200;

/** `12| text`, from the line with this index on. */
export function numberedLines(lines: readonly string[], at: number, count: number): string {
  const some = lines.slice(at, at + Math.min(count, MOST_LINES_SHOWN)).map((line, index) => {
    const text = line.length > LONGEST_LINE_SHOWN ? `${line.slice(0, LONGEST_LINE_SHOWN)}…` : line;
    return `${at + index + 1}| ${text}`;
  });
  return [...some, ...(count > MOST_LINES_SHOWN ? [`… ${count - MOST_LINES_SHOWN} more lines`] : [])].join('\n');
}

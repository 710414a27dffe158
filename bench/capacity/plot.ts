// A plot as SVG: lines over an axis with logarithmic or plain steps. It reads on a light and on a dark page.
export interface Line {
  name: string;
  /** In ascending order of x. */
  points: readonly (readonly [x: number, y: number])[];
}

export interface Axis {
  title: string;
  ticks: readonly { at: number; text: string }[];
  isLogarithmic?: boolean;
}

export interface Plot {
  title: string;
  x: Axis;
  y: Axis;
  lines: readonly Line[];
}

const [WIDTH, HEIGHT] = [760, 400];
const AREA = { left: 90, right: 560, top: 50, bottom: 330 };
/** Told apart also by those who do not see all colours (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00'];

export function drawPlot({ title, x, y, lines }: Plot): string {
  const across = scale(x, AREA.left, AREA.right);
  const up = scale(y, AREA.bottom, AREA.top);
  const parts = [
    text(AREA.left, 28, title, 'font-size="16" font-weight="600"'),
    ...x.ticks.flatMap(({ at, text: label }) => [
      rule(across(at), AREA.top, across(at), AREA.bottom),
      text(across(at), AREA.bottom + 20, label, 'text-anchor="middle"'),
    ]),
    ...y.ticks.flatMap(({ at, text: label }) => [
      rule(AREA.left, up(at), AREA.right, up(at)),
      text(AREA.left - 8, up(at) + 4, label, 'text-anchor="end"'),
    ]),
    text((AREA.left + AREA.right) / 2, AREA.bottom + 48, x.title, 'text-anchor="middle"'),
    text(
      22,
      (AREA.top + AREA.bottom) / 2,
      y.title,
      `text-anchor="middle" transform="rotate(-90 22 ${(AREA.top + AREA.bottom) / 2})"`,
    ),
    ...lines.flatMap((line, index) => drawLine(line, index, { across, up })),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}" font-family="sans-serif" font-size="13">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}

function drawLine(
  { name, points }: Line,
  index: number,
  { across, up }: { across(value: number): number; up(value: number): number },
): string[] {
  const colour = COLOURS[index % COLOURS.length];
  const path = points.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`);
  const at = AREA.top + 12 + index * 24;
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2.5" points="${path.join(' ')}"/>`,
    ...path.map((point) => `<circle cx="${point.replace(',', '" cy="')}" r="3.5" fill="${colour}"/>`),
    `<rect x="${AREA.right + 16}" y="${at - 9}" width="14" height="4" fill="${colour}"/>`,
    text(AREA.right + 36, at - 3, name, ''),
  ];
}

function scale({ ticks, isLogarithmic = false }: Axis, from: number, to: number): (value: number) => number {
  const measure = (value: number): number => (isLogarithmic ? Math.log(value) : value);
  const ends = ticks.map(({ at }) => measure(at));
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  return (value) => from + ((to - from) * (Math.min(Math.max(measure(value), least), most) - least)) / (most - least);
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#ddd"/>`;
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#222" ${attributes}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

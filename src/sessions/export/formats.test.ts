// Whatever a person, a model or a tool wrote, and whatever it is called: it stays in its block.
import fc from 'fast-check';
import { Lexer, type Token, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import type { ScannedLine, TranscriptLine } from '../../storage/storage.ts';
import { type HistoryTurn, readHistory } from '../history.ts';
import type { Exporter, ExportItem } from './exporter.ts';
import { createHtmlExporter, escaped } from './html.ts';
import { createJsonExporter, createJsonLinesExporter } from './json.ts';
import { createMarkdownExporter, fence, span } from './markdown.ts';

const AT = '2026-11-15T10:00:00.000Z';
const clock = { time: (iso: string): string => iso, zone: 'Europe/Zurich' };

const HOSTILE = [
  '```\n# out\n```',
  '~~~\n~~~',
  '`````````',
  '</pre><script>alert(1)</script>',
  '<!-- -->',
  '    ```',
  '> quote\n- list\n[link](http://example.com)',
  '![](http://example.com/pixel)',
  ']]>&amp;"\'',
  '$$\\x$$',
  '你好\n\n---\n',
];

/** As it is after the command made control characters visible. */
const text = fc
  .oneof(
    fc.constantFrom(...HOSTILE),
    fc.array(fc.constantFrom(...HOSTILE, '`', '\n', ' ', '<', 'a', '\t')).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it removes
  .map((any) => any.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').replace(/\s+$/, ''));

function turnOf(said: {
  user: string;
  assistant: string;
  tool: string;
  args: string;
  result: string;
  error: string;
}): HistoryTurn {
  const message = { id: 'm', timestamp: AT, route: 'r', stage: 's', provider: said.tool };
  const calls: HistoryTurn['calls'] = [
    {
      call: { id: 'c', name: said.tool, args: { text: said.args }, source: 'model' },
      effect: 'exec',
      timestamp: AT,
      result: { ok: false, text: said.result, error: { code: 'execution_error', message: 'x', reason: said.tool } },
    },
  ];
  return {
    number: 1,
    turnId: 't',
    startedAt: AT,
    outcome: 'failed',
    origin: said.tool,
    messages: [
      { ...message, role: 'user', content: said.user },
      { ...message, role: 'assistant', content: said.assistant },
    ],
    calls,
    steps: [{ text: '', calls }],
    error: { code: said.tool, message: said.error },
    usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.001 },
  };
}

const turn = fc
  .record({ user: text, assistant: text, tool: text, args: text, result: text, error: text })
  .map((said) => ({ said, turn: turnOf(said) }));

function exported(exporter: Exporter, items: readonly ExportItem[]): string {
  const session = { sessionKey: 'main', sessionId: 'session-1', createdAt: AT, isCurrent: true };
  return [
    exporter.begin(),
    exporter.beginSession(session),
    ...items.map((item) => exporter.item(item)),
    exporter.endSession({ count: 1, lines: [3] }),
    exporter.end(),
  ].join('');
}

describe('Markdown', () => {
  const lexed = (markdown: string): Token[] => new Lexer().lex(markdown).filter(({ type }) => type !== 'space');

  it('any text in a fence is one block of code, and comes back as it was', () => {
    fc.assert(
      fc.property(text, (any) => {
        const tokens = lexed(fence(any, 'text'));
        expect(tokens).toHaveLength(1);
        expect(tokens[0]).toMatchObject({ type: 'code', lang: 'text', text: any });
      }),
    );
  });

  it('any name in a span is one piece of code on one line', () => {
    fc.assert(
      fc.property(text, (any) => {
        fc.pre(any.trim() !== '');
        const [paragraph, ...others] = lexed(`Name ${span(any)} end`) as Tokens.Paragraph[];
        expect(others).toEqual([]);
        expect(paragraph?.tokens.map(({ type }) => type)).toEqual(['text', 'codespan', 'text']);
        expect(paragraph?.tokens[1]).toMatchObject({ text: any.replace(/\s+/g, ' ').trim() });
      }),
    );
  });

  it('a document has our headings and our blocks only, whatever was said', () => {
    fc.assert(
      fc.property(turn, ({ said, turn: told }) => {
        const tokens = lexed(exported(createMarkdownExporter(clock), [{ kind: 'turn', turn: told }]));
        const code = tokens.flatMap((token) => (token.type === 'code' ? [(token as Tokens.Code).text] : []));
        const args = JSON.stringify({ text: said.args }, undefined, 2);
        expect(code).toEqual([said.user, args, said.result, said.assistant, said.error]);
        expect(tokens.filter(({ type }) => type === 'heading')).toHaveLength(2);
        expect(tokens.filter(({ type }) => type === 'html')).toEqual([]);
        expect(new Set(tokens.map(({ type }) => type))).toEqual(
          new Set(['heading', 'list', 'paragraph', 'code', 'blockquote']),
        );
      }),
    );
  });
});

describe('HTML', () => {
  const OURS =
    /<(?:!doctype html|\/?(?:html|head|body|title|style|article|h1|h2|ul|li|section|header|b|code|pre|div|span)(?: (?:lang|class|dir)="[\w -]*")*|meta [\w-]+="[^"<>]*"(?: content="[^"<>]*")?)>/g;
  const unescaped = (html: string): string =>
    html.replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
    );

  it('holds no tag but ours, and everything that was said as text', () => {
    fc.assert(
      fc.property(turn, ({ said, turn: told }) => {
        const html = exported(createHtmlExporter(said.tool, clock), [{ kind: 'turn', turn: told }]);
        expect(html.replace(OURS, '')).not.toMatch(/[<>]/);
        const shown = [...html.matchAll(/<pre dir="auto">\n([^<]*)<\/pre>/g)].map(([, inner = '']) => unescaped(inner));
        const args = JSON.stringify({ text: said.args }, undefined, 2);
        expect(shown).toEqual([said.user, args, said.result, said.assistant, said.error]);
      }),
    );
  });

  it('loads nothing: no address, no script, and a policy that forbids both', () => {
    const html = exported(createHtmlExporter('main', clock), []);
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|href=|url\(|@import|https?:/);
    expect(escaped('<a href="x">&\'')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;&#39;');
  });
});

describe('JSON', () => {
  it('is one value that holds every turn as it was read', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
        const items = turns.map((each) => ({ kind: 'turn' as const, turn: each.turn }));
        const json = JSON.parse(exported(createJsonExporter({ exportedAt: AT, sessionKey: 'main' }), items));
        expect(json).toMatchObject({ version: 1, sessions: [{ damagedLineCount: 1, damagedLines: [3] }] });
        const entries = json.sessions[0].entries as { messages: unknown[]; toolCalls: { result: unknown }[] }[];
        expect(entries.map(({ messages }) => messages)).toEqual(turns.map((each) => each.turn.messages));
        expect(entries.map(({ toolCalls }) => toolCalls[0]?.result)).toEqual(
          turns.map((each) => each.turn.calls[0]?.result),
        );
      }),
    );
  });

  it('lines are one a message, one a call, one an end, each valid by itself', () => {
    const [{ turn: told } = { turn: turnOf({ user: '', assistant: '', tool: '', args: '', result: '', error: '' }) }] =
      fc.sample(turn, 1);
    const summary = { kind: 'compaction' as const, timestamp: AT, compactedMessageCount: 12, summary: 's' };
    const lines = exported(createJsonLinesExporter(), [{ kind: 'turn', turn: told }, summary])
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; sessionId: string });
    expect(lines.map(({ type }) => type)).toEqual([
      'session',
      'message',
      'tool-call',
      'message',
      'turn-end',
      'summary',
      'damage',
    ]);
    expect(lines.every(({ sessionId }) => sessionId === 'session-1')).toBe(true);
  });
});

describe('a transcript that somebody has edited', () => {
  const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('constructor', '__proto__', AT, 'user'));
  const names = ['turnId', 'timestamp', 'entry', 'origin', 'call', 'effect', 'callId', 'ok', 'text', 'error', 'meta'];
  const more = ['outcome', 'usage', 'message', 'compactedMessageCount', 'droppedBytes', 'tainted'];
  const fields = Object.fromEntries([...names, ...more].map((name) => [name, odd]));
  const message = {
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.string(),
    timestamp: odd,
    provider: odd,
  };
  const call = { id: fc.constant('c'), name: fc.string(), args: odd, source: odd };
  const types = ['session', 'turn-start', 'message', 'tool-call', 'tool-result', 'repair', 'compaction', 'turn-end'];
  const line = fc
    .tuple(
      fc.constantFrom(...types),
      fc.record(fields, { requiredKeys: [] }),
      fc.record(
        { message: fc.record(message, { requiredKeys: ['role', 'content'] }), call: fc.record(call) },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          turnId: fc.constant('t'),
          callId: fc.constant('c'),
          ok: fc.boolean(),
          text: fc.string(),
          timestamp: fc.constant(AT),
          effect: fc.constant('exec'),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([type, ...parts]) => Object.assign({ type }, ...parts) as TranscriptLine);

  async function* scanned(lines: readonly TranscriptLine[]): AsyncGenerator<ScannedLine> {
    for (const [index, each] of lines.entries()) yield { number: index + 1, line: each };
  }

  it('is exported in every format, and what makes no sense is left out as damaged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const told = await Array.fromAsync(readHistory(scanned(lines)));
        const items = told.filter((item): item is ExportItem => item.kind !== 'damaged');
        const json = createJsonExporter({ exportedAt: AT, sessionKey: 'main' });
        expect(() => JSON.parse(exported(json, items))).not.toThrow();
        for (const exporter of [
          createMarkdownExporter(clock),
          createHtmlExporter('main', clock),
          createJsonLinesExporter(),
        ])
          expect(exported(exporter, items)).not.toContain('function');
      }),
      { numRuns: 500 },
    );
  });
});

describe('what was written to a turn while it ran', () => {
  const steered = { id: 'm2', role: 'user' as const, timestamp: AT, content: 'not so', route: 'r', stage: 'steering' };
  const said = { user: 'do it', assistant: 'As you say.', tool: 'bash', args: 'x', result: 'done so far', error: 'e' };
  const base = turnOf(said);
  const [question, answer] = base.messages;
  const turn: HistoryTurn = {
    ...base,
    messages: [question, steered, answer].flatMap((message) => message ?? []),
    steps: base.steps.map((step) => ({ ...step, steered: [steered] })),
  };
  const order = (document: string): number[] =>
    ['do it', 'done so far', 'not so', 'As you say.'].map((text) => document.indexOf(text));

  it.each([
    ['Markdown', createMarkdownExporter(clock)],
    ['HTML', createHtmlExporter('Session', clock)],
    ['JSON lines', createJsonLinesExporter()],
  ])('is in its place in %s, once', (_format, exporter) => {
    const document = exporter.item({ kind: 'turn', turn });
    const places = order(document);
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(document.split('not so')).toHaveLength(2);
  });
});

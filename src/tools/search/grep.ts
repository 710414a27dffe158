import { orToolFailure } from '../fs/failure.ts';
import { type ToolArgs, ToolFailure, type ToolSpec } from '../tool.ts';
import { findRipgrep } from './program.ts';
import { ripgrep, withoutRoot } from './ripgrep.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 5_000;
const LONGEST_LINE = 500;

interface Line {
  path: string;
  line: number;
  text: string;
  /** Beside a match, not one. */
  context?: true;
}

export function createGrepTool(): ToolSpec {
  const lines = { type: 'integer', minimum: 0, maximum: 50 };
  return {
    name: 'grep',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, maxLength: 2_000 },
        path: { type: 'string', minLength: 1 },
        glob: { type: 'string', minLength: 1, maxLength: 500 },
        type: { type: 'string', pattern: '^[a-z0-9+-]{1,32}$' },
        before: lines,
        after: lines,
        context: lines,
        ignoreCase: { type: 'boolean' },
        multiline: { type: 'boolean' },
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 60_000,
    async execute(args, { workspace, signal }) {
      const { path, limit, flags } = optionsOf(args);
      const held = await workspace.hold(path, signal).catch(orToolFailure);
      const found: Line[] = [];
      let matches = 0;
      let truncated = false;
      try {
        await ripgrep({
          held,
          flags,
          signal,
          program: findRipgrep,
          separator: '\n',
          onRecord(record) {
            const line = lineOf(record, held.path, held.kind);
            if (!line) return true;
            if (!line.context && matches === limit) {
              truncated = true;
              return false;
            }
            found.push(line);
            if (!line.context) matches += 1;
            return true;
          },
        });
      } finally {
        held.release();
      }
      // Files are searched at the same time, so they come in any order; within a file the order is kept.
      found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
      return { data: { matches, truncated, lines: found }, text: render(found, matches, truncated) };
    },
  };
}

function optionsOf(args: ToolArgs): { path: string; limit: number; flags: string[] } {
  const {
    pattern,
    path = '.',
    glob,
    type,
    before,
    after,
    context,
    ignoreCase,
    multiline,
    limit = DEFAULT_LIMIT,
  } = args;
  const flags = ['--json', '--no-require-git', '--hidden', '--glob=!.git', `--regexp=${pattern}`];
  if (glob !== undefined) {
    if (String(glob).startsWith('!'))
      throw new ToolFailure('grep: "glob" says which files to search, it cannot start with "!"', {
        code: 'invalid_args',
      });
    flags.push(`--glob=${glob}`);
  }
  if (type !== undefined) flags.push(`--type=${type}`);
  flags.push(`--before-context=${before ?? context ?? 0}`, `--after-context=${after ?? context ?? 0}`);
  if (ignoreCase) flags.push('--ignore-case');
  if (multiline) flags.push('--multiline');
  return { path: path as string, limit: limit as number, flags };
}

interface Text {
  text?: string;
  bytes?: string;
}

function lineOf(record: string, searched: string, kind: 'file' | 'directory'): Line | undefined {
  const { type, data } = JSON.parse(record) as {
    type: string;
    data: { path?: Text; lines?: Text; line_number?: number };
  };
  if (type !== 'match' && type !== 'context') return undefined;
  const below = withoutRoot(plain(data.path));
  const prefix = searched === '.' ? '' : `${searched}/`;
  return {
    path: kind === 'file' ? searched : prefix + below,
    line: data.line_number ?? 0,
    text: shorten(plain(data.lines).replace(/\r?\n$/, '')),
    ...(type === 'context' && { context: true as const }),
  };
}

/** ripgrep gives what is not UTF-8 as base64. */
function plain(value: Text | undefined): string {
  return value?.text ?? Buffer.from(value?.bytes ?? '', 'base64').toString('utf8');
}

function shorten(text: string): string {
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}

function render(lines: Line[], matches: number, truncated: boolean): string {
  if (matches === 0) return 'no match';
  const shown = lines.map(({ path, line, text, context }) =>
    context ? `${path}-${line}-${text}` : `${path}:${line}:${text}`,
  );
  return truncated
    ? [...shown, `(more matches were left out: narrow the pattern or raise "limit")`].join('\n')
    : shown.join('\n');
}

import type { HeldPath } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { orToolFailure } from '../fs/failure.ts';
import type { ArgsOf } from '../schema-args.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';
import type { FileFilter } from './file-filter.ts';
import { findRipgrep } from './program.ts';
import { ripgrep, withoutRoot } from './ripgrep.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 5_000;
const LONGEST_LINE = 500;

const LINES = { type: 'integer', minimum: 0, maximum: 50 } as const;
const SCHEMA = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: 2_000 },
    path: { type: 'string', minLength: 1 },
    glob: { type: 'string', minLength: 1, maxLength: 500 },
    type: { type: 'string', pattern: '^[a-z0-9+-]{1,32}$' },
    before: LINES,
    after: LINES,
    context: LINES,
    ignoreCase: { type: 'boolean' },
    multiline: { type: 'boolean' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const;
type GrepArgs = ArgsOf<typeof SCHEMA>;

interface Line {
  path: string;
  line: number;
  text: string;
  /** Beside a match, not one. */
  context?: true;
}

export function createGrepTool(): ToolSpec {
  return defineTool({
    name: 'grep',
    schema: SCHEMA,
    effect: 'read',
    subject: ({ path = '.' }) => ({ kind: 'path', path, access: 'read' }),
    handlesFiles: 'contents',
    timeoutMs: 60_000,
    async execute(args, { workspace, signal, hides = () => false, taintOfFiles }) {
      const { path, limit, after, flags, only } = await optionsOf(args);
      const held = await workspace.hold(path, signal).catch(orToolFailure);
      const found: Line[] = [];
      let matches = 0;
      let truncated = false;
      // What belongs to the matches so far: lines before a match come ahead of it, also of one that is left out.
      let belonging = 0;
      let last = { path: '', line: 0 };
      let judged = { path: '', hidden: false };
      const isHidden = (path: string): boolean => {
        if (judged.path !== path) judged = { path, hidden: hides(path) };
        return judged.hidden;
      };
      try {
        await ripgrep({
          held,
          flags,
          only,
          signal,
          program: findRipgrep,
          separator: '\n',
          onRecord(record) {
            const line = lineOf(record, held, only);
            if (!line || isHidden(line.path)) return true;
            if (!line.context && matches === limit) {
              truncated = true;
              return false;
            }
            found.push(line);
            if (!line.context) {
              matches += 1;
              last = { path: line.path, line: line.line + newlines(line.text) };
            }
            if (line.path === last.path && line.line <= last.line + after) belonging = found.length;
            return true;
          },
        });
      } finally {
        held.release();
      }
      if (truncated) found.length = belonging;
      // Files are searched at the same time, so they come in any order; within a file the order is kept.
      found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
      const taintedBy = (await taintOfFiles?.(new Set(found.map((line) => line.path)))) ?? [];
      return {
        data: { matches, truncated, lines: found },
        text: render(found, matches, truncated),
        ...(taintedBy.length > 0 && { meta: { tainted: true, taintedBy } }),
      };
    },
  });
}

interface Options {
  path: string;
  limit: number;
  after: number;
  flags: string[];
  only?: FileFilter;
}

async function optionsOf(args: GrepArgs): Promise<Options> {
  const { pattern, path = '.', glob, type, before, after, context, ignoreCase, multiline, limit } = args;
  const flags = ['--json', '--no-require-git', '--hidden', '--glob=!.git', `--regexp=${pattern}`];
  if (glob?.startsWith('!'))
    throw new ToolFailure('grep: "glob" says which files to search, it cannot start with "!"', {
      code: 'invalid_args',
    });
  if (type !== undefined) flags.push(`--type=${type}`);
  const linesAfter = after ?? context ?? 0;
  flags.push(`--before-context=${before ?? context ?? 0}`, `--after-context=${linesAfter}`);
  if (ignoreCase) flags.push('--ignore-case');
  if (multiline) flags.push('--multiline');
  const only = glob === undefined ? undefined : (await import('./file-filter.ts')).createFileFilter(glob);
  return { path, limit, after: linesAfter, flags, ...(only && { only }) };
}

interface Text {
  text?: string;
  bytes?: string;
}

function lineOf(record: string, { path: searched, kind }: HeldPath, only: FileFilter | undefined): Line | undefined {
  const { type, data } = JSON.parse(record) as {
    type: string;
    data: { path?: Text; lines?: Text; line_number?: number };
  };
  if (type !== 'match' && type !== 'context') return undefined;
  const below = withoutRoot(plain(data.path));
  if (kind === 'directory' && only && !only.fits(below)) return undefined;
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

function newlines(text: string): number {
  return text.split('\n').length - 1;
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

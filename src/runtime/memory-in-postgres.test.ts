// The archive in PostgreSQL finds what the local one finds, in the same order: this version's documentation, and conversations in three languages.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { conversationsOf, type SetConversation } from '../../bench/memory-set/conversations.ts';
import { createWordModel } from '../../bench/word-model.ts';
import { postgresArchives } from '../../test/support/postgres-archive.ts';
import { createEmbeddings, type EmbeddingModel } from '../memory/embeddings/embeddings.ts';
import { createMemory, type Memory } from '../memory/memory.ts';
import { rememberTurns } from '../memory/remember-turns.ts';
import type { Found } from '../memory/search.ts';
import { createLocalArchive } from '../storage/local/archive/local-archive.ts';
import { createLainclawDb } from '../storage/local/lainclaw-db/schema.ts';
import { createLocks } from '../storage/local/locks.ts';
import type { SharedArchive } from '../storage/shared-archive.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';

/** How far the mean reciprocal ranks may be apart. */
const CLOSE = 0.005;
const TURNS = 60;
/** Of a page's headings. */
const ASKED_OF_EACH = 2;

interface Question {
  query: string;
  isAnswer(found: Found): boolean;
}

const archives = postgresArchives();
const closings: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});
afterAll(archives.drop);

async function bothMemories({ model, now = Date.now }: { model?: EmbeddingModel; now?: () => number } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-same-ranking-'));
  const database = createLainclawDb(home);
  const locks = createLocks(join(home, 'locks'));
  const subject = await archives.create();
  closings.push(
    () => subject.remove(),
    () => database.close(),
    () => rmSync(home, { recursive: true, force: true }),
  );
  let ids = 0;
  const over = (archive: SharedArchive): Memory => {
    const embeddings = createEmbeddings({ choose: async () => model?.name, open: async () => model as never, locks });
    const newId = (prefix: string): string => {
      ids += 1;
      return `${prefix}-${ids}`;
    };
    return createMemory({ archive, embeddings, now, timezone: () => 'UTC', newId }).as(OWNER);
  };
  return { local: over(createLocalArchive({ database, locks })), shared: over(subject.open()) };
}

async function compare(local: Memory, shared: Memory, questions: readonly Question[]) {
  const sums = { local: 0, shared: 0 };
  let same = 0;
  for (const { query, isAnswer } of questions) {
    const [here, there] = [await local.search(query), await shared.search(query)];
    const rank = ({ results }: { results: Found[] }): number => {
      const place = results.findIndex(isAnswer);
      return place < 0 ? 0 : 1 / (place + 1);
    };
    sums.local += rank(here);
    sums.shared += rank(there);
    const shown = (results: Found[]): string =>
      JSON.stringify(results.map(({ source, text, score }) => [source, text, score]));
    if (shown(here.results) === shown(there.results)) same += 1;
  }
  const count = questions.length;
  return { local: sums.local / count, shared: sums.shared / count, same: same / count };
}

function docsOf(): { source: string; content: string }[] {
  const folder = resolve('docs');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ source: name, content: readFileSync(join(folder, name), 'utf8') }));
}

/** The words of a section, without its heading: the page that has it is the answer. */
function questionsOf(pages: readonly { source: string; content: string }[]): Question[] {
  return pages.flatMap(({ source, content }) =>
    content
      .split(/^## /m)
      .slice(1, 1 + ASKED_OF_EACH)
      .map((section) => ({
        query: section.split('\n').slice(1).join(' ').trim().split(/\s+/).slice(3, 12).join(' '),
        isAnswer: (found: Found) => found.source === source,
      }))
      .filter(({ query }) => query !== ''),
  );
}

const asked = ({ questions }: SetConversation): Question[] =>
  questions.map(({ question, answer }) => ({ query: question, isAnswer: ({ text }) => text.includes(answer) }));

describe('the archive in PostgreSQL beside the local one', () => {
  it('finds pages in the same order', async () => {
    const { local, shared } = await bothMemories();
    const pages = docsOf();
    for (const memory of [local, shared]) await memory.saveAll(pages);
    const figures = await compare(local, shared, questionsOf(pages));
    expect(figures.local).toBeGreaterThan(0.7);
    expect(Math.abs(figures.local - figures.shared)).toBeLessThanOrEqual(CLOSE);
    expect(figures.same).toBeGreaterThan(0.98);
  });

  it('finds pages in the same order with a model', async () => {
    const { local, shared } = await bothMemories({ model: createWordModel() });
    const pages = docsOf().slice(0, 12);
    for (const memory of [local, shared]) {
      await memory.saveAll(pages);
      await memory.embed();
    }
    const figures = await compare(local, shared, questionsOf(pages));
    expect((await shared.search('gateway')).mode).toBe('hybrid');
    expect(Math.abs(figures.local - figures.shared)).toBeLessThanOrEqual(CLOSE);
    expect(figures.same).toBeGreaterThan(0.98);
  });

  it.each(conversationsOf('dev', TURNS).map((set) => [set.name, set] as const))(
    'finds and recalls what was said in %s in the same order',
    async (_, set) => {
      const { local, shared } = await bothMemories({ now: () => Date.parse(set.askedAt) });
      for (const memory of [local, shared])
        for (const [sessionId, turns] of Map.groupBy(set.messages, (message) => message.sessionId))
          await rememberTurns(memory, { sessionKey: set.name, sessionId, tainted: false }, turns);
      const figures = await compare(local, shared, asked(set));
      expect(Math.abs(figures.local - figures.shared)).toBeLessThanOrEqual(CLOSE);
      for (const { question } of set.questions)
        expect((await shared.recall({ question }))?.text).toBe((await local.recall({ question }))?.text);
    },
  );
});

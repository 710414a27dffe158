// An extraction that is killed before any of its writes: the turn's facts are kept once, by this process or the next.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Reply } from '../fakes/model-server/reply.ts';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { modelFor } from '../support/model-providers.ts';

const PRELOAD = { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, '../support/kill-at-write.ts'))}` };

it('killed before any of its writes, an extraction keeps each fact once', async () => {
  const model = await modelFor('anthropic', ({ system }): Reply => {
    if (!system.join().includes('worth knowing in later')) return { text: 'Noted.' };
    const fact = { text: 'Ada likes tea.', kind: 'preference', turn: 1, relation: 'new' };
    return { text: JSON.stringify({ facts: [fact] }) };
  });
  const { home, env } = model;
  const provider = { ...env, LAINCLAW_PROVIDER: 'anthropic' };
  await model.ask('I like tea', '--memory');
  const aside = join(home.base, 'saved');
  cpSync(home.path, aside, { recursive: true });
  let ended = false;
  for (let at = 1; !ended; at += Math.ceil(at / 4) + 1) {
    rmSync(home.path, { recursive: true });
    cpSync(aside, home.path, { recursive: true });
    const killing = { ...provider, ...PRELOAD, LAINCLAW_TEST_KILL_AT: String(at) };
    ended = (await runBinary(['memory', 'extract'], { home, env: killing })).signal === null;
    const { code } = await lainclaw(['memory', 'extract'], { home, env: provider });
    const log = (await lainclaw(['memory', 'log'], { home, env: provider })).json<{
      waiting: { turns: number };
      extractions: { changes: { text?: string }[] }[];
    }>();
    expect([at, code, log.waiting.turns]).toEqual([at, 0, 0]);
    expect([at, log.extractions.flatMap(({ changes }) => changes.map(({ text }) => text))]).toEqual([
      at,
      ['Ada likes tea.'],
    ]);
  }
});

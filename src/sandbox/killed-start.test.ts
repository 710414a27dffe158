// A kill while a sandbox starts. Bubblewrap makes its namespaces, and their first process waits for it: where bubblewrap dies in this
// moment, with its parent, that process would wait for ever.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { killWhileStarting, type StartWay } from '../../test/support/sandbox-kills.ts';
import { processesWith } from '../../test/support/sandbox-trial.ts';

const WAYS: StartWay[] = ['prepared', 'direct'];
const KILLS = 10;
const MOST_MS = 100;

const programs = realpathSync(mkdtempSync(join(tmpdir(), 'killed-start-')));
afterAll(() => rmSync(programs, { recursive: true }));

/** Stays in the moment between the two: its first process waits, and it dies with its parent. */
const SLOW = `#!/bin/sh
[ "$1" = --version ] && { echo "bubblewrap 0.8.0"; exit; }
( while :; do sleep 0.05; done ) </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- &
while kill -0 $PPID; do sleep 0.05; done 2>/dev/null
`;

test.each(WAYS)('%s: a kill while bubblewrap makes its namespaces leaves no process', async (way) => {
  mkdirSync(join(programs, way));
  writeFileSync(join(programs, way, 'bwrap'), SLOW);
  chmodSync(join(programs, way, 'bwrap'), 0o755);
  const left = await killWhileStarting({
    way,
    programs: join(programs, way),
    until: (root) => eventually(() => expect(processesWith(root).length).toBeGreaterThanOrEqual(2)),
  });
  expect(left).toEqual([]);
});

test.each(WAYS)('%s: a kill at any moment leaves no process', async (way) => {
  for (let kill = 0; kill < KILLS; kill += 1)
    expect(await killWhileStarting({ way, until: () => sleep((kill / KILLS) * MOST_MS) })).toEqual([]);
});

import { expect, it } from 'vitest';
import { runBinary } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

// Through the binary: the system's timezone is that of a process.
it('an unknown timezone in TZ is refused where local time counts, and doctor names it', async () => {
  const home = testHome();
  const env = { TZ: 'Nowhere/Bad' };
  const added = await runBinary(['schedule', 'add', 'brief', '--cron', '0 8 * * *', '--message', 'hi'], { home, env });
  expect(added.code).toBe(1);
  expect(added.stderr).toContain('error BAD_TIMEZONE: TZ is "Nowhere/Bad", an unknown timezone');
  expect((await runBinary(['schedule', 'list'], { home, env })).json()).toMatchObject({ jobs: [] });
  const time = await runBinary(['tools', 'invoke', 'current_time'], { home, env });
  expect(time.json()).toMatchObject({
    result: { ok: false, error: { message: expect.stringContaining('unknown timezone') } },
  });
  const { checks } = (await runBinary(['doctor'], { home, env })).json<{ checks: { name: string; state: string }[] }>();
  expect(checks).toContainEqual(expect.objectContaining({ name: 'timezone', state: 'problem' }));
  const named = ['schedule', 'add', 'brief', '--cron', '0 8 * * *', '--message', 'hi', '--timezone', 'Europe/Berlin'];
  expect((await runBinary(named, { home, env })).code).toBe(0);
});

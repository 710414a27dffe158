import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import type { Mode } from '../config/mode.ts';
import type { AuditEvent } from '../storage/audit.ts';
import type { Changes } from '../undo/changes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { createReusedResults, noReuse } from './cache.ts';
import { type CallAuditOptions, createCallAudit } from './call-audit.ts';
import { createExecutor, type ExecutorOptions, NotStarted } from './executor.ts';
import { createLater, type Later } from './later.ts';
import { createTurnMode } from './permissions/mode.ts';
import { NO_RULES } from './permissions/rules.ts';
import { readPictures } from './pictures.ts';
import { type Authorise, createPolicy, type PolicyOptions } from './policy.ts';
import { createRegistry } from './registry.ts';
import { noSubject } from './subject.ts';
import { createTaint } from './taint.ts';
import { type ToolCall, ToolFailure, type ToolSpec } from './tool.ts';
import { createValidate } from './validate.ts';

const call = (name = 'tool', args: Record<string, unknown> = {}): ToolCall => ({
  id: 'call-1',
  name,
  args,
  source: 'cli',
});
const never = new AbortController().signal;

function tool(execute: ToolSpec['execute'], facts: Partial<ToolSpec> = {}): ToolSpec {
  return {
    name: 'tool',
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    effect: 'read',
    subject: noSubject,
    requiresPermission: false,
    timeoutMs: 5_000,
    execute,
    ...facts,
  };
}

function policy({ mode, askPerson }: { mode: Mode } & Pick<PolicyOptions, 'askPerson'>): Authorise {
  return createPolicy({
    mode: createTurnMode(mode),
    askPerson,
    permissions: {
      rules: async () => ({ ok: true, rules: NO_RULES }),
      remembered: async () => [],
      remember: async () => {},
    },
    places: { workspaceRoot: '/ws', userHome: '/home/me', lainclawHome: '/home/me/.lainclaw' },
    taint: createTaint(),
  });
}

const fromAnna = () => ({ by: 'Anna', place: 'chat' });

function setUp(
  spec: ToolSpec,
  changed: Partial<ExecutorOptions> = {},
  answeredFrom: CallAuditOptions['answeredFrom'] = fromAnna,
) {
  const defects: unknown[] = [];
  const kept: string[] = [];
  const recorded: AuditEvent[] = [];
  const pictures = testHome();
  mkdirSync(pictures.path, { recursive: true });
  const executor = createExecutor({
    registry: createRegistry([spec]),
    validate: createValidate(),
    authorise: policy({ mode: 'ask' }),
    context: { workspace: {} as Workspace, now: () => 42 } as ExecutorOptions['context'],
    reused: noReuse,
    audit: createCallAudit({
      append: async (events) => void recorded.push(...events),
      who: 'owner',
      answeredFrom,
      onFailure: () => {},
    }),
    keepOutput: async (_call, text) => {
      kept.push(text);
      return '/kept/call-1.txt';
    },
    spoolPath: async () => '/spool/call-1',
    keptPath: async (_call, name) => join(pictures.path, name),
    onDefect: (_call, error) => defects.push(error),
    ...changed,
  });
  return { executor, defects, kept, recorded };
}

describe('the audit log', () => {
  const shortly = ({ kind, outcome, why }: AuditEvent): string => [kind, outcome, why].join(' ');

  it('has a call before it runs, with the reason, and its end', async () => {
    const seen: number[] = [];
    const { executor, recorded } = setUp(
      tool(
        async () => {
          seen.push(recorded.length);
          return { data: 1 };
        },
        { effect: 'write' },
      ),
    );
    await executor.execute(call(), never);
    expect(seen).toEqual([1]);
    expect(recorded.map(shortly)).toEqual(['tool-call allowed the tool needs no permission', 'tool-result ok ']);
  });

  it('has what a person answered, and what was refused', async () => {
    const asks = tool(async () => ({ data: 1 }), { effect: 'exec', requiresPermission: true });
    const yes = setUp(asks, { authorise: policy({ mode: 'ask', askPerson: async () => 'once' }) });
    await yes.executor.execute(call(), never);
    expect(yes.recorded.map(shortly)).toEqual([
      'approval allowed once',
      'tool-call allowed a person approved it (asked because tool needs permission)',
      'tool-result ok ',
    ]);
    const no = setUp(asks, { authorise: policy({ mode: 'ask', askPerson: async () => undefined }) });
    await no.executor.execute(call(), never);
    expect(no.recorded.map(shortly)).toEqual(['approval denied no', 'tool-call denied tool was not approved']);
    expect(no.recorded[0]).toMatchObject({ who: 'Anna (chat)' });
    const late = setUp(asks, { authorise: policy({ mode: 'ask', askPerson: async () => undefined }) }, () => undefined);
    await late.executor.execute(call(), never);
    expect(late.recorded[0]).toMatchObject({ kind: 'approval', outcome: 'denied', who: 'nobody' });
  });

  it('has calls of tools that do not exist', async () => {
    const { executor, recorded } = setUp(tool(async () => ({ data: 1 })));
    await executor.execute(call('nothing'), never);
    expect(recorded.map(shortly)).toEqual(['tool-call denied there is no tool "nothing" here']);
  });

  it('keeps an effect from happening when it cannot be written, and lets reading happen', async () => {
    const audit = createCallAudit({
      append: () => Promise.reject(new Error('the disk is full')),
      who: 'owner',
      onFailure: () => {},
    });
    const write = vi.fn(async () => ({ data: 1 }));
    const { executor } = setUp(tool(write, { effect: 'write' }), { audit });
    expect((await executor.execute(call(), never)).result).toMatchObject({ ok: false });
    expect(write).not.toHaveBeenCalled();
    const reading = setUp(
      tool(async () => ({ data: 1 })),
      { audit },
    );
    expect((await reading.executor.execute(call(), never)).result.ok).toBe(true);
  });
});

describe('a call', () => {
  it('waits until it may run, is not run when it may not, and is not started when it is cancelled meanwhile', async () => {
    const execute = vi.fn(async () => ({ data: 1 }));
    const { executor } = setUp(tool(execute, { effect: 'write' }));
    const gate = Promise.withResolvers<void>();
    const running = executor.execute(call(), never, undefined, gate.promise);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(execute).not.toHaveBeenCalled();
    gate.resolve();
    expect((await running).result.ok).toBe(true);
    const refused = await executor.execute(call(), never, undefined, Promise.reject(new Error('not journalled')));
    expect(refused.result).toMatchObject({ ok: false, error: { message: 'tool failed: not journalled' } });
    const cancel = new AbortController();
    const later = Promise.withResolvers<void>();
    const cancelled = executor.execute(call(), cancel.signal, undefined, later.promise);
    cancel.abort();
    later.resolve();
    await expect(cancelled).rejects.toBeInstanceOf(NotStarted);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('that works returns data for programs and text for models', async () => {
    const { executor } = setUp(
      tool(async (args, { now }) => ({ data: { args, now: now() }, text: 'for the model', meta: { extra: 1 } })),
    );
    expect(await executor.execute(call('tool', { a: 'x' }), never)).toEqual({
      result: { ok: true, data: { args: { a: 'x' }, now: 42 }, meta: { extra: 1, durationMs: expect.any(Number) } },
      text: 'for the model',
    });
  });

  it('without a text of its own tells the model its data', async () => {
    const { executor } = setUp(tool(async () => ({ data: { a: [1] } })));
    expect((await executor.execute(call(), never)).text).toBe('{"a":[1]}');
  });

  it('without data still has a result', async () => {
    const { executor } = setUp(tool(async () => ({ data: undefined })));
    const { result, text } = await executor.execute(call(), never);
    expect({ ok: result.ok, text: typeof text }).toEqual({ ok: true, text: 'string' });
  });

  it('whose data cannot be JSON is a defect of the tool, not of the turn', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const data of [10n, circle]) {
      const { executor, defects } = setUp(tool(async () => ({ data })));
      const { result } = await executor.execute(call(), never);
      expect(result).toMatchObject({ ok: false, error: { code: 'execution_error' } });
      expect(defects).toHaveLength(1);
    }
  });

  it('of a tool that is not there is not found', async () => {
    const { executor, defects } = setUp(tool(async () => expect.unreachable()));
    for (const name of ['nope', '__proto__']) {
      expect(await executor.execute(call(name), never)).toEqual({
        result: {
          ok: false,
          error: { code: 'tool_not_found', message: `there is no tool "${name}" here` },
          meta: { durationMs: expect.any(Number) },
        },
        text: `Error (tool_not_found): there is no tool "${name}" here`,
      });
    }
    expect(defects).toEqual([]);
  });

  it('with bad arguments does not run', async () => {
    const { executor } = setUp(tool(async () => expect.unreachable()));
    const { result } = await executor.execute(call('tool', { a: 1 }), never);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: expect.stringContaining('"a"') },
    });
  });

  it('the time a person took to answer is none of the tool', async () => {
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
    const spec = tool(async () => {
      time += 5;
      return { data: 1 };
    });
    const authorise: Authorise = async () => {
      time += 60_000;
      return { allowed: true, because: 'a test' };
    };
    const { result } = await setUp(spec, { authorise })
      .executor.execute(call(), never)
      .finally(() => clock.mockRestore());
    expect(result.meta.durationMs).toBe(5);
  });

  it.each([
    ['ask', undefined, /nobody is there/],
    ['never', 'once', /mode never/],
    ['ask', 'no', /was not approved/],
  ] as const)('that needs permission and does not get it (%s, %s) does not run', async (mode, answer, message) => {
    const spec = tool(async () => expect.unreachable(), { requiresPermission: true, effect: 'write' });
    const askPerson = answer === undefined ? undefined : async () => (answer === 'no' ? undefined : answer);
    const { executor } = setUp(spec, { authorise: policy({ mode, askPerson }) });
    const { result } = await executor.execute(call(), never);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'execution_error', reason: 'denied', message: expect.stringMatching(message) },
    });
  });

  it.each([
    ['auto', undefined],
    ['ask', 'once'],
  ] as const)('that needs permission and gets it (%s) runs', async (mode, answer) => {
    const askPerson = answer === undefined ? undefined : async () => answer;
    const { executor } = setUp(
      tool(async () => ({ data: 1 }), { requiresPermission: true, effect: 'write' }),
      { authorise: policy({ mode, askPerson }) },
    );
    expect((await executor.execute(call(), never)).result.ok).toBe(true);
  });
});

it('what guards commands in the background has failed: what the call wrote is off the record all the same', async () => {
  const ended: string[] = [];
  const changes = {} as Changes;
  const spec = tool(async () => ({ data: 1 }), {
    effect: 'exec',
    subject: () => ({ kind: 'command', command: 'touch made' }),
  });
  const { executor, defects } = setUp(spec, {
    authorise: policy({ mode: 'auto' }),
    rememberWrites: async () => ({
      changes,
      rememberFetched: async () => async () => {},
      end: async () => void ended.push('writes'),
    }),
    beforeChange: async () => ({ changes, end: () => Promise.reject(new Error('the disk is full')) }),
  });
  const { result } = await executor.execute(call(), never);
  expect(result).toMatchObject({ ok: false, error: { message: 'tool failed: the disk is full' } });
  expect([ended, defects]).toEqual([['writes'], [expect.objectContaining({ message: 'the disk is full' })]]);
});

describe('a failure', () => {
  it('meant for the caller is passed on as it is', async () => {
    const failure = new ToolFailure('too much', { reason: 'limit' });
    const { executor, defects } = setUp(tool(async () => Promise.reject(failure)));
    const { result, text } = await executor.execute(call(), never);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'execution_error', message: 'too much', reason: 'limit' },
    });
    expect(text).toBe('Error (execution_error): too much');
    expect(defects).toEqual([]);
  });

  it.each([new TypeError('x is undefined'), 'a text', null, undefined, { odd: true }])(
    'not meant for anyone (%j) is a defect, told and reported',
    async (thrown) => {
      const { executor, defects } = setUp(
        tool(async () => {
          throw thrown;
        }),
      );
      const { result } = await executor.execute(call(), never);
      expect(result).toMatchObject({
        ok: false,
        error: { code: 'execution_error', message: expect.stringContaining('tool failed') },
      });
      expect(defects).toEqual([thrown]);
    },
  );

  it('has only codes of the contract, whatever a tool throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (thrown) => {
        const { executor } = setUp(
          tool(async () => {
            throw thrown;
          }),
        );
        const { result } = await executor.execute(call(), never);
        expect(result.ok === false && ['invalid_args', 'execution_error'].includes(result.error.code)).toBe(true);
      }),
      { examples: [[{ toString: 0 }]] },
    );
  });

  it('by time ends the call even when the tool does not listen, and tells it to stop', async () => {
    let stopped: unknown;
    const spec = tool(
      (_args, { signal }) => {
        signal.addEventListener('abort', () => {
          stopped = signal.reason;
        });
        return new Promise(() => {});
      },
      { timeoutMs: 20 },
    );
    const { executor, defects } = setUp(spec);
    const { result } = await executor.execute(call(), never);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'execution_error', reason: 'timeout', message: expect.stringContaining('20 ms') },
    });
    expect(stopped).toBeInstanceOf(ToolFailure);
    expect(defects).toEqual([]);
  });

  it('of the store of results does not fail the call', async () => {
    const broken = {
      get: () => Promise.reject(new Error('no store')),
      put: () => Promise.reject(new Error('no store')),
      forget: () => Promise.reject(new Error('no store')),
    };
    const spec = tool(async () => ({ data: 'read' }), { fingerprint: async () => 'same' });
    const { executor } = setUp(spec, { reused: createReusedResults(broken, 'session-1') });
    expect((await executor.execute(call(), never)).result).toMatchObject({ ok: true, data: 'read' });
  });
});

describe('cancellation', () => {
  it('is not a result: it is rethrown', async () => {
    const controller = new AbortController();
    const { executor, defects } = setUp(
      tool(() => {
        controller.abort(new Error('stop'));
        return new Promise(() => {});
      }),
    );
    await expect(executor.execute(call(), controller.signal)).rejects.toThrow('stop');
    expect(defects).toEqual([]);
  });

  it('before the call runs nothing', async () => {
    const { executor } = setUp(tool(async () => expect.unreachable()));
    await expect(executor.execute(call(), AbortSignal.abort(new Error('stop')))).rejects.toThrow(NotStarted);
  });

  it('while permission is asked runs nothing, whatever the answer', async () => {
    const controller = new AbortController();
    let ran = false;
    const spec = tool(
      async () => {
        ran = true;
        return { data: 1 };
      },
      { requiresPermission: true, effect: 'write' },
    );
    const askPerson = async (): Promise<'once'> => {
      controller.abort(new Error('stop'));
      return 'once';
    };
    const { executor } = setUp(spec, { authorise: policy({ mode: 'ask', askPerson }) });
    await expect(executor.execute(call(), controller.signal)).rejects.toThrow(NotStarted);
    expect(ran).toBe(false);
  });
});

describe('what a model receives', () => {
  it('is bounded, and the whole is kept', async () => {
    const long = 'x'.repeat(100_000);
    const { executor, kept } = setUp(tool(async () => ({ data: { long }, text: long })));
    const { result, text } = await executor.execute(call(), never);
    expect(text.length).toBeLessThan(41_000);
    expect(text).toContain('/kept/call-1.txt');
    expect(result).toMatchObject({ ok: true, data: { long }, meta: { fullOutputPath: '/kept/call-1.txt' } });
    expect(kept).toEqual([long]);
  });

  it('is bounded for failures too', async () => {
    const { executor, kept } = setUp(tool(async () => Promise.reject(new ToolFailure('x'.repeat(100_000)))));
    expect((await executor.execute(call(), never)).text.length).toBeLessThan(41_000);
    expect(kept).toHaveLength(1);
  });
});

describe('reuse', () => {
  const memory = () => {
    const values = new Map<string, string>();
    return {
      values,
      get: async (scope: string, key: string) => values.get(`${scope} ${key}`),
      put: async (scope: string, key: string, value: string) => void values.set(`${scope} ${key}`, value),
      forget: async () => values.clear(),
    };
  };

  it('gives the earlier output while the fingerprint holds, in any order of the arguments', async () => {
    let state = 'one';
    let runs = 0;
    const spec = tool(
      async () => {
        runs += 1;
        return { data: runs, text: `run ${runs}` };
      },
      { fingerprint: async () => state, inputSchema: { type: 'object', properties: {}, additionalProperties: true } },
    );
    const { executor } = setUp(spec, { reused: createReusedResults(memory(), 'session-1') });
    const run = async (args: Record<string, unknown>) => (await executor.execute(call('tool', args), never)).result;
    expect(await run({ a: 1, b: 2 })).toMatchObject({ data: 1 });
    expect(await run({ b: 2, a: 1 })).toMatchObject({ data: 1, meta: { cached: true } });
    expect(await run({ a: 1 })).toMatchObject({ data: 2 });
    state = 'two';
    const fresh = await run({ a: 1, b: 2 });
    expect(fresh).toMatchObject({ data: 3 });
    expect(fresh.meta.cached).toBeUndefined();
  });

  it('does not keep an output whose inputs changed while it was made', async () => {
    const cache = memory();
    let state = 0;
    const spec = tool(
      async () => {
        state += 1;
        return { data: state };
      },
      { fingerprint: async () => String(state) },
    );
    const { executor } = setUp(spec, { reused: createReusedResults(cache, 'session-1') });
    await executor.execute(call(), never);
    expect(cache.values.size).toBe(0);
  });

  it('does not keep failures, nor anything without a fingerprint', async () => {
    const cache = memory();
    const reused = createReusedResults(cache, 'session-1');
    await setUp(
      tool(async () => Promise.reject(new ToolFailure('no')), { fingerprint: async () => 'same' }),
      { reused },
    ).executor.execute(call(), never);
    await setUp(
      tool(async () => ({ data: 1 })),
      { reused },
    ).executor.execute(call(), never);
    await setUp(
      tool(async () => ({ data: 1 }), { fingerprint: async () => undefined }),
      { reused },
    ).executor.execute(call(), never);
    expect(cache.values.size).toBe(0);
  });
});

describe('what a call leaves behind', () => {
  function leaving(later?: Later) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    const spec = tool(async (_, { afterwards }) => {
      calls += 1;
      if (calls === 1) afterwards(promise);
      return { data: calls };
    });
    return { ...setUp(spec, later && { later }), finish: resolve, calls: () => calls };
  }

  it('continues after the result, and the next call waits for it', async () => {
    const later = createLater();
    const { executor, finish, calls } = leaving(later);
    await executor.execute(call(), never);
    const next = executor.execute(call(), never);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls()).toBe(1);
    finish();
    await next;
    expect(calls()).toBe(2);
    await later.done();
  });

  it('is waited for by the result where nobody else would', async () => {
    const { executor, finish } = leaving();
    let isDone = false;
    const first = executor.execute(call(), never).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isDone).toBe(false);
    finish();
    await first;
  });
});

describe('pictures', () => {
  const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

  it('of a result go to files of the owner, and the text says where they are', async () => {
    const { executor } = setUp(
      tool(async () => ({ data: 1, text: 'a dot', pictures: [{ mediaType: 'image/jpeg', data: PIXEL }] })),
    );
    const { result, text } = await executor.execute(call(), never);
    // The bytes decide the type.
    expect(result.pictures).toEqual([{ mediaType: 'image/png', path: expect.stringMatching(/picture-1\.png$/) }]);
    const path = result.pictures?.[0]?.path ?? '';
    expect(readFileSync(path, 'base64')).toBe(PIXEL);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(text).toBe(`a dot\n[picture image/png, 70 bytes, in ${path}]`);
    expect(await readPictures(result.pictures ?? [])).toEqual([{ mimeType: 'image/png', data: PIXEL }]);
    expect(JSON.stringify(result)).not.toContain(PIXEL);
  });

  it('of a call that failed are kept too', async () => {
    const output = { data: null, pictures: [{ mediaType: 'image/png', data: PIXEL }] };
    const { executor } = setUp(
      tool(async () => {
        throw new ToolFailure('no', { output });
      }),
    );
    expect((await executor.execute(call(), never)).result.pictures).toHaveLength(1);
  });

  it('that are too large are made smaller where they can be', async () => {
    const data = Buffer.concat([Buffer.from(PIXEL, 'base64'), Buffer.alloc(6 * 1024 * 1024)]).toString('base64');
    const { executor } = setUp(tool(async () => ({ data: 1, pictures: [{ mediaType: 'image/png', data }] })));
    const { result } = await executor.execute(call(), never);
    const [kept] = await readPictures(result.pictures ?? []);
    expect(kept?.data.length).toBeLessThan(10_000);
  });

  it('that are not pictures, too large, gone or too many are left out, and the text says so', async () => {
    const large = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(6 * 1024 * 1024)]).toString('base64');
    const pictures = [
      { mediaType: 'image/png', data: Buffer.from('<script>').toString('base64') },
      { mediaType: 'image/png', data: large },
      { mediaType: 'image/png', data: '' },
      { mediaType: 'image/png', path: '/nowhere/at/all.png' },
      ...Array.from({ length: 6 }, () => ({ mediaType: 'image/png', data: PIXEL })),
    ];
    const { executor } = setUp(tool(async () => ({ data: 1, text: '', pictures })));
    const { result, text } = await executor.execute(call(), never);
    expect(result.pictures).toHaveLength(4);
    const lines = text.split('\n');
    expect(lines[0]).toBe('[a picture was left out: not a PNG, JPEG, GIF or WebP]');
    expect(lines.slice(1, 4)).toEqual(
      Array.from({ length: 3 }, () => '[a picture was left out: larger than 5 MB, or not there]'),
    );
    expect(lines.at(-1)).toBe('[2 more pictures were left out: 8 at most]');
  });
});

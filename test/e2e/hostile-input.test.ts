import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

describe.concurrent('a question', () => {
  it('of a megabyte is stored whole and answered', async () => {
    const home = testHome();
    const question = `${'words of a long question 中文 😀\n'.repeat(30_000)}end`;
    expect(Buffer.byteLength(question)).toBeGreaterThan(1_000_000);
    const { code, json } = await lainclaw(['ask', '-'], { home, stdin: question });
    expect(code).toBe(0);
    expect(home.messages()[0]?.content === question).toBe(true);
    expect(home.messages()[1]?.content).toBe(json().result);
    expect(await ask(home, 'and then?')).toMatchObject({ success: true });
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('of a megabyte that calls a tool runs it and keeps the whole result', async () => {
    const home = testHome();
    const text = 'x'.repeat(1_000_000);
    const { code, json } = await lainclaw(['ask', '-'], { home, stdin: `tool:tools.echo ${JSON.stringify({ text })}` });
    expect(code).toBe(0);
    const { toolResults, result } = json();
    expect(toolResults[0]?.result).toMatchObject({ ok: true, data: { text } });
    expect(result.length).toBeLessThan(41_000);
    expect(existsSync(String(toolResults[0]?.result.meta.fullOutputPath))).toBe(true);
  });

  it('of several large words is joined', async () => {
    const home = testHome();
    const words = ['a', 'б', '中'].map((letter) => letter.repeat(40_000));
    expect((await lainclaw(['ask', ...words], { home })).code).toBe(0);
    expect(home.messages()[0]?.content === words.join(' ')).toBe(true);
  });

  it('with control characters and NULs is stored as it is', async () => {
    const home = testHome();
    const question = `nul \0 escape \u001b[31m bell \u0007 delete \u007f return \r\n next \u0085 separator \u2028 mark \ufeff end`;
    expect((await lainclaw(['ask', '-'], { home, stdin: question })).code).toBe(0);
    expect(home.messages()[0]?.content).toBe(question);
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('that is not UTF-8 is still a question', async () => {
    const home = testHome();
    expect((await lainclaw(['ask', '-'], { home, stdin: Buffer.from([0x66, 0xff, 0xfe, 0x6f]) })).code).toBe(0);
    expect(home.messages()[0]?.content).toBe('f\ufffd\ufffdo');
  });

  it('with lone surrogates in its JSON keeps them, in the answer and on disk', async () => {
    const home = testHome();
    const { toolResults, result } = await ask(home, 'tool:tools.echo {"a":"\\ud800","\\udc00":"x\\ud83d"}');
    expect(toolResults[0]?.result).toMatchObject({ ok: true, data: { a: '\ud800', '\udc00': 'x\ud83d' } });
    expect(home.messages().at(-1)?.content).toBe(result);
    expect(result.isWellFormed()).toBe(true);
  });

  it('is never cut in the middle of a character when it is echoed', async () => {
    const home = testHome();
    for (const shift of ['', 'x'])
      expect((await ask(home, shift + '😀'.repeat(3_000))).result.isWellFormed()).toBe(true);
  });

  it('of deeply nested JSON is refused or run, never a crash', async () => {
    const home = testHome();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const input of [`tool:${deep}`, `tool:tools.echo {"a":${deep}}`]) {
      const { code, stderr, json } = await lainclaw(['ask', '-'], { home, stdin: input });
      expect({ code, success: json().success }, stderr).toEqual({ code: 0, success: true });
    }
  });

  it.each(['{"__proto__":{"ok":true}}', '{"constructor":{"prototype":{"ok":true}}}'])(
    'with the arguments %s pollutes nothing',
    async (args) => {
      const { toolResults } = await ask(testHome(), `tool:[{"name":"tools.echo","args":${args}},{"name":"nope"}]`);
      expect(JSON.stringify(toolResults[0]?.result.data)).toBe(args);
      expect(toolResults[1]?.result.ok).toBe(false);
    },
  );
});

describe.concurrent('a session key', () => {
  it.each(['__proto__', 'constructor', '会话', 'разговор', 'a.b:c@d+e=f-g', '_', '9', 'x'.repeat(200), 'e\u0301'])(
    '%s names a session like any other',
    async (key) => {
      const home = testHome();
      const first = await ask(home, 'one', '--session', key);
      const second = await ask(home, 'two', '--session', key);
      expect(second).toMatchObject({ sessionKey: key, sessionId: first.sessionId });
      expect(home.entry(key)).toMatchObject({ sessionKey: key, sessionId: first.sessionId });
      expect(home.messages(key)).toHaveLength(4);
      const listed = (await lainclaw(['sessions', 'list'], { home })).json<{ sessionKey: string }[]>();
      expect(listed.map(({ sessionKey }) => sessionKey)).toEqual([key]);
      expect(
        (await lainclaw(['sessions', 'show', key], { home })).json<{ messages: unknown[] }>().messages,
      ).toHaveLength(4);
    },
  );

  it.each([
    '../x',
    '..',
    '.',
    '.hidden',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'a b',
    'a\nb',
    'a\u0001b',
    '😀',
    '-x',
    'x'.repeat(300),
    '字'.repeat(67),
  ])('%j is refused and leaves nothing behind', async (key) => {
    const home = testHome();
    const { code, stderr, json } = await lainclaw(['ask', 'hi', `--session=${key}`], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('INVALID_SESSION_KEY');
    expect(stderr.length).toBeLessThan(1_000);
    expect(json()).toMatchObject({ success: false, error: { code: 'INVALID_SESSION_KEY' } });
    expect(home.exists()).toBe(false);
    expect(readdirSync(home.base)).toEqual(['workspace']);
  });

  it('that no session has is not found, also one that could not name a session', async () => {
    const home = testHome();
    await ask(home, 'hi');
    for (const key of ['__proto__', 'toString', '../sessions', '']) {
      const { code, stderr } = await lainclaw(['sessions', 'show', key], { home });
      expect(code, stderr).toBe(1);
      expect(stderr).toContain('SESSION_NOT_FOUND');
    }
    expect(existsSync(join(home.path, 'sessions', '__proto__.jsonl'))).toBe(false);
  });

  it('twins that differ in case or in a hidden mark are two sessions', async () => {
    const home = testHome();
    const keys = ['Key', 'key', 'key_', 'é', 'e\u0301'];
    const sessions = new Set<string>();
    for (const key of keys) sessions.add((await ask(home, 'hi', '--session', key)).sessionId);
    expect(sessions.size).toBe(keys.length);
  });
});

describe.concurrent('sessions list and show', () => {
  it('list every session, the most recent first, as the index has it', async () => {
    const home = testHome();
    for (const key of ['a', 'b', 'c', 'a']) await ask(home, 'hi', '--session', key);
    const listed = (await lainclaw(['sessions', 'list'], { home })).json<{ sessionKey: string }[]>();
    expect(listed).toEqual(['a', 'c', 'b'].map((key) => home.entry(key)));
  });

  it('show the messages, oldest first, or only the last ones', async () => {
    const home = testHome();
    for (const word of ['one', 'two', 'three']) await ask(home, word);
    const show = async (...flags: string[]) =>
      (await lainclaw(['sessions', 'show', 'main', ...flags], { home })).json<{
        session: unknown;
        messages: { content: string }[];
        damagedLines: number[];
      }>();
    expect(await show()).toEqual({
      session: home.entry(),
      messages: home.messages(),
      permissions: [],
      damagedLines: [],
    });
    expect((await show('--last', '2')).messages).toEqual(home.messages().slice(-2));
    expect((await show('--last=1')).messages).toEqual(home.messages().slice(-1));
    expect((await show('--last', '1000000')).messages).toEqual(home.messages());
  });
});

import { describe, expect, it } from 'vitest';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const NOTICE = { en: 'No model is connected', zh: '尚未连接模型', ru: 'Модель не подключена' };

describe.concurrent('the stub', () => {
  it.each([
    ['en', 'good morning', 'You said: good morning'],
    ['zh', '早上好', '你说：早上好'],
    ['ru', 'доброе утро', 'Вы сказали: доброе утро'],
  ] as const)('echoes in the language of the question: %s', async (language, question, echo) => {
    const { result } = await ask(testHome(), question);
    expect(result.startsWith(echo)).toBe(true);
    expect(result).toContain(NOTICE[language]);
    expect(result).toContain('lainclaw auth login openai-codex');
  });

  it.each([
    ['en', 'Summarize: The bridge is old. The bridge needs paint. Cats sleep.', 'Summary: '],
    ['en', 'tl;dr\nThe bridge is old.', 'Summary: The bridge is old.'],
    ['zh', '请总结：长江大桥很长。大桥需要油漆。猫在睡觉。', '摘要：'],
    ['zh', '摘要：长江大桥很长。', '摘要：长江大桥很长。'],
    ['ru', 'Кратко: мост старый. Мост надо красить.', 'Кратко: мост старый.'],
    ['ru', 'Подытожь текст:\nМост старый.', 'Кратко: Мост старый.'],
  ] as const)('summarises when asked to: %s, %s', async (language, question, summary) => {
    const { result } = await ask(testHome(), question);
    expect(result).toContain(summary);
    expect(result).toContain(NOTICE[language]);
  });

  it('says so when there is nothing to summarise', async () => {
    const { result } = await ask(testHome(), 'summarise');
    expect(result).toContain('nothing to summarise');
  });

  it('answers the same to the same question', async () => {
    const [one, other] = await Promise.all([ask(testHome(), 'the same'), ask(testHome(), 'the same')]);
    expect(one.result).toBe(other.result);
  });

  it('shows tool results beside the question about them', async () => {
    const { result } = await ask(testHome(), 'tool:tools.echo {"colour":"red"}\nwhich colour?');
    expect(result).toMatch(/\{"colour":"red"\}[\s\S]*You said: which colour\?/);
  });
});

describe.concurrent('LAINCLAW_DEBUG_SOURCE', () => {
  it('puts the provider in front of the result, and only in front of the result', async () => {
    const home = testHome();
    const { json } = await lainclaw(['ask', 'hello'], { home, env: { LAINCLAW_DEBUG_SOURCE: '1' } });
    const { result } = json();
    expect(result).toMatch(/^\[stub\] You said: hello/);
    expect(home.messages().at(-1)?.content).toBe(result.slice('[stub] '.length));
  });

  it('puts it in front of text output as well', async () => {
    const { stdout } = await lainclaw(['ask', '--text', 'hello'], {
      home: testHome(),
      env: { LAINCLAW_DEBUG_SOURCE: '1' },
    });
    expect(stdout).toMatch(/^\[stub\] You said: hello/);
  });

  it.each(['0', '', 'true'])('is off when it is "%s"', async (value) => {
    const { json } = await lainclaw(['ask', 'hello'], { home: testHome(), env: { LAINCLAW_DEBUG_SOURCE: value } });
    expect(json().result).toMatch(/^You said/);
  });
});

describe.concurrent('which provider answers', () => {
  const refusing = (provider: string) => new RegExp(`UNSUPPORTED_PROVIDER: .*"${provider}".*stub`);

  it('the flag beats the environment, which beats config.json, which beats the stub', async () => {
    const home = testHome();
    expect(await ask(home, 'hi')).toMatchObject({ provider: 'stub' });
    home.config({ provider: 'from-config' });
    const run = (args: string[], env: Record<string, string>) => lainclaw(['ask', 'hi', ...args], { home, env });
    const fromEnvironment = { LAINCLAW_PROVIDER: 'from-environment' };
    expect((await run([], {})).stderr).toMatch(refusing('from-config'));
    expect((await run([], fromEnvironment)).stderr).toMatch(refusing('from-environment'));
    expect((await run(['--provider', 'from-flag'], fromEnvironment)).stderr).toMatch(refusing('from-flag'));
    expect((await run(['--provider=stub'], fromEnvironment)).json()).toMatchObject({ success: true, provider: 'stub' });
    expect((await run([], { LAINCLAW_PROVIDER: 'stub' })).json()).toMatchObject({ success: true, provider: 'stub' });
    expect((await run([], { LAINCLAW_PROVIDER: '' })).stderr).toMatch(refusing('from-config'));
  });

  it('an unknown one is refused with the list of providers, and nothing is begun', async () => {
    const home = testHome();
    const { code, stderr, json } = await lainclaw(['ask', 'hi', '--provider', 'nope'], { home });
    expect(code).toBe(2);
    expect(stderr).toMatch(refusing('nope'));
    expect(json()).toMatchObject({
      success: false,
      error: { code: 'UNSUPPORTED_PROVIDER', message: expect.stringContaining('stub') },
    });
    expect(home.exists()).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'toString', '../stub'])(
    'the name %s is refused like any other unknown one',
    async (provider) => {
      const { code, stderr } = await lainclaw(['ask', 'hi', '--provider', provider], { home: testHome() });
      expect(code).toBe(2);
      expect(stderr).toContain('UNSUPPORTED_PROVIDER');
    },
  );

  it('the workspace cannot choose it', async () => {
    const home = testHome();
    home.file('config.json', '{"provider":"from-workspace"}');
    home.file('.env', 'LAINCLAW_PROVIDER=from-workspace\n');
    expect(await ask(home, 'hi')).toMatchObject({ provider: 'stub' });
  });
});

describe.concurrent('config.json', () => {
  it.each([
    ['no JSON', '{', ['not valid JSON']],
    ['no object', '[]', ['must hold a JSON object']],
    ['null', 'null', ['must hold a JSON object']],
    ['a setting that does not exist', '{"provder":"stub"}', ['"provder"', 'did you mean "provider"']],
    ['a prototype key', '{"__proto__":{"provider":"x"}}', ['"__proto__"']],
    ['a value of the wrong type', '{"provider":1}', ['"provider"', '1', 'text']],
    ['an empty value', '{"model":" "}', ['"model"']],
    ['a language that does not exist', '{"language":"de"}', ['"language"', '"de"', 'en, zh, ru']],
  ])('with %s is refused by name, value and what is accepted', async (_name, source, words) => {
    const home = testHome();
    home.config(source);
    const { code, stderr, json } = await lainclaw(['ask', 'hi'], { home });
    expect(code).toBe(1);
    for (const word of [...words, 'config.json']) expect(stderr).toContain(word);
    expect(json()).toMatchObject({ success: false, error: { code: 'CONFIG_INVALID' } });
    expect(home.transcripts()).toEqual([]);
  });

  it('an unknown LAINCLAW_LANG is refused by name, value and what is accepted', async () => {
    const { code, stderr } = await lainclaw(['tools', 'list'], { home: testHome(), env: { LAINCLAW_LANG: 'de' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/LAINCLAW_LANG is "de"; accepted: en, zh, ru/);
  });
});

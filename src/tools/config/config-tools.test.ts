// config_get and config_set, through the program.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { testOperations } from '../../../test/support/test-operations.ts';
import { MODES } from '../../config/mode.ts';
import { SETTING_KEYS } from '../../config/settings.ts';
import { MODEL_MAY_SET } from '../../config/settings-for-model.ts';
import { readerWithin } from '../../vocabulary/memory-scope.ts';
import type { PermissionQuestion } from '../policy.ts';
import type { ToolContext, ToolResult } from '../tool.ts';
import { createConfigGetTool } from './get.ts';
import { createConfigSetTool } from './set.ts';

async function opened(answer?: 'once') {
  const questions: PermissionQuestion[] = [];
  const person = {
    askPerson: async (question: PermissionQuestion) => {
      questions.push(question);
      return answer;
    },
  };
  const { invoke, folder } = await testOperations({ ...(answer && { person }) });
  const call = async (name: string, args: object, mode = 'auto'): Promise<ToolResult> =>
    ((await invoke('tools.invoke', { name, args, mode })) as { result: ToolResult }).result;
  const path = join(folder, 'home', 'config.json');
  const write = (settings: object): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(settings));
  };
  return { invoke, call, questions, write, path };
}

it('a setting is changed once a person has approved it, in the modes that ask nobody else too', async () => {
  const { call, invoke, questions } = await opened('once');
  for (const mode of ['ask', 'accept-edits', 'auto'])
    expect(await call('config_set', { key: 'effort', value: 'low' }, mode)).toMatchObject({
      ok: true,
      data: { setting: { key: 'effort', value: 'low', source: 'file' } },
    });
  expect(questions.map(({ preview }) => preview?.text)).toEqual([
    '- effort: not set\n+ effort: low',
    '- effort: "low"\n+ effort: low',
    '- effort: "low"\n+ effort: low',
  ]);
  expect(questions[0]?.verdict.scopes).toEqual(['once']);
  expect(await invoke('config.get', { key: 'effort' })).toMatchObject({ value: 'low' });
});

it('nobody there: it is refused in every mode, also with a rule that allows it', async () => {
  const { call, invoke } = await opened();
  await invoke('permissions.add', { rule: 'config_set', list: 'allow' });
  for (const mode of MODES)
    expect(await call('config_set', { key: 'effort', value: 'low' }, mode), mode).toMatchObject({
      ok: false,
      error: { reason: 'denied' },
    });
  expect(await invoke('config.get', { key: 'effort' })).toMatchObject({ source: 'default' });
});

it('what loosens the policy is refused without a question, with the command for a person', async () => {
  const { call, questions } = await opened('once');
  for (const key of SETTING_KEYS.filter((each) => !MODEL_MAY_SET.has(each)))
    expect(await call('config_set', { key, value: 'https://u:secret@example.org' }), key).toMatchObject({
      ok: false,
      error: {
        reason: 'denied',
        message: expect.not.stringContaining('secret'),
      },
    });
  for (const [key, command] of [
    ['mode', 'lainclaw config set mode'],
    ['openaiApi', 'lainclaw gateway config set'],
    ['consoleHost', 'lainclaw gateway config set'],
    ['allow', 'lainclaw gateway config set'],
  ] as const)
    expect(await call('config_set', { key, value: 'x' })).toMatchObject({
      error: { message: expect.stringContaining(command) },
    });
  expect(questions).toEqual([]);
});

it('the settings that loosen the policy are not among those that a model may set', () => {
  for (const key of ['mode', 'approve', 'sandbox', 'privateHosts', 'hooks', 'bashNetwork', 'baseUrl', 'store'] as const)
    expect(MODEL_MAY_SET.has(key), key).toBe(false);
});

it('a value that is not accepted is refused before anybody is asked', async () => {
  const { call, questions } = await opened('once');
  expect(await call('config_set', { key: 'effort', value: 'huge' })).toMatchObject({
    error: { code: 'invalid_args', message: expect.stringContaining('accepted: ') },
  });
  expect(questions).toEqual([]);
});

it('secrets of the settings are shown nowhere', async () => {
  const { call, write, path } = await opened('once');
  const before = {
    baseUrl: 'https://user:secret@example.org/v1?key=secret',
    webSearchUrl: 'https://example.org/?token=secret',
    store: 'postgres://u:secret@localhost/x?password=secret',
    hooks: { stop: [{ command: 'curl -H "Authorization: secret"' }] },
    dockerImage: 'https://u:secret@[broken',
    notify: 'secret',
  };
  write(before);
  const all = await call('config_get', {});
  expect(JSON.stringify(all)).not.toContain('secret');
  expect(all).toMatchObject({
    ok: true,
    data: {
      settings: expect.arrayContaining([expect.objectContaining({ key: 'baseUrl', value: 'https://example.org/v1' })]),
    },
  });
  expect(JSON.stringify(await call('config_set', { key: 'language', value: 'ru' }))).not.toContain('secret');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 1, ...before, language: 'ru' });
  expect(JSON.stringify(await call('config_get', { key: 'store' }))).not.toContain('secret');
  expect(await call('config_get', { key: 'modle' })).toMatchObject({
    error: { message: expect.stringContaining('did you mean "model"') },
  });
});

it('settings are for the owner', async () => {
  const unused = (): Promise<never> => Promise.reject(new Error('not used here'));
  const settings = { list: unused, get: unused, check: unused, set: unused };
  const stranger = { reader: readerWithin('person:telegram/7') } as ToolContext;
  const change = createConfigSetTool({ settings });
  const given = { key: 'effort', value: 'low' };
  for (const attempt of [
    createConfigGetTool({ settings }).execute({}, stranger),
    change.execute(given, stranger),
    change.preview?.(given, stranger),
  ])
    await expect(attempt).rejects.toThrow('the settings are for the owner');
});

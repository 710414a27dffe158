import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LANGUAGES } from '../../config/settings.ts';
import { createBuiltinTools } from '../builtin.ts';
import { createWebSearchTool } from '../web/search.ts';
import { describeTool, loadToolTexts } from './language.ts';

const unused = (): Promise<never> => Promise.reject(new Error('not used here'));
const builtin = createBuiltinTools({
  systemTimezone: () => 'UTC',
  docs: unused,
  memory: unused,
  pastConversations: unused,
  forgetMore: { findText: unused, forgetText: unused, describeConversation: unused, forgetConversation: unused },
  coreMemory: unused,
  skills: unused,
  agents: unused,
  spawnAgent: unused,
  agentRuns: unused,
  schedule: unused,
  isGatewayRunning: unused,
  answerProblem: unused,
  settings: { list: unused, get: unused, check: unused, set: unused },
  sandbox: unused,
  variables: {},
  userHome: '/home/me',
  home: '/home/me/.lainclaw',
  sendMessage: unused,
  isTrusted: unused,
  isOwnSkill: unused,
});
const specs = [...builtin, createWebSearchTool({ service: 'searxng', variables: {} })];

it.each(LANGUAGES)('every tool and every parameter is described in %s, and nothing else is', async (language) => {
  const texts = await loadToolTexts(language);
  expect(Object.keys(texts).toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
  for (const spec of specs) {
    const { description, inputSchema } = describeTool(spec, texts);
    expect(description.length, spec.name).toBeGreaterThan(5);
    const parameters = Object.keys(spec.inputSchema.properties);
    expect(Object.keys(texts[spec.name]?.parameters ?? {}).toSorted(), spec.name).toEqual(parameters.toSorted());
    for (const name of parameters)
      expect(inputSchema.properties[name]?.description, `${spec.name} ${name}`).toBeTruthy();
  }
});

it('every tool has a row in the documentation', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/tools/overview.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => row.split('|')[1]?.match(/[\w.]+(?=`)/g) ?? []);
  expect(named).toEqual(expect.arrayContaining(specs.flatMap(({ name, aliases = [] }) => [name, ...aliases])));
});

it('describing a tool leaves its schema alone', async () => {
  const [spec] = specs.filter(({ name }) => name === 'current_time');
  if (!spec) return expect.unreachable();
  const before = structuredClone(spec.inputSchema);
  expect(describeTool(spec, await loadToolTexts('zh')).inputSchema).not.toEqual(before);
  expect(spec.inputSchema).toEqual(before);
});

it('a tool without a text is described by its name', () => {
  const [spec] = specs;
  if (!spec) return expect.unreachable();
  expect(describeTool(spec, {}).description).toBe(spec.name);
});

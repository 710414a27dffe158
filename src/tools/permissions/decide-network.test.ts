import { beforeAll, describe, expect, test } from 'vitest';
import { type Case, createDecider, ROOT } from '../../../test/support/decide-fixture.ts';
import { parseHost } from '../../sandbox/network/host.ts';
import { createCommandParser } from './parse-command.ts';

let decide: ReturnType<typeof createDecider>;
beforeAll(async () => {
  decide = createDecider({ parseCommand: await createCommandParser() });
});

const COMMAND = 'npm install small';
const REGISTRY = 'registry.npmjs.org';

function judge(given: Case = {}, { hosts = [REGISTRY], filtered = true, command = COMMAND } = {}) {
  const network = {
    hosts: hosts.flatMap((host) => parseHost(host) ?? []),
    filtered,
    environment: {},
    showsFetched: false,
  };
  return decide('bash', { command }, { ...given, network });
}

test('one question names the command and its hosts, and "always" keeps a rule for each', () => {
  expect(judge()).toMatchObject({
    verdict: 'ask',
    question: { title: `Run in /home/u/project and reach ${REGISTRY}?`, exact: COMMAND },
    reasons: [`it reaches ${REGISTRY}`, expect.stringContaining('npm')],
    rememberAs: [`bash(${COMMAND})`, `network(${REGISTRY})`],
    scopes: ['once', 'session', 'always'],
  });
});

test('a rule for the command alone does not open the network, and one for the network alone not the command', () => {
  for (const rule of [`bash(${COMMAND})`, 'bash', '*'])
    expect(judge({ allow: [rule] })).toMatchObject({ verdict: 'ask', rememberAs: [`network(${REGISTRY})`] });
  expect(judge({ allow: [`network(${REGISTRY})`] })).toMatchObject({
    verdict: 'ask',
    rememberAs: [`bash(${COMMAND})`],
    question: { title: expect.stringContaining(`reach ${REGISTRY}`) },
  });
  expect(judge({ allow: ['bash', `network(${REGISTRY})`] })).toMatchObject({ verdict: 'allow' });
  expect(judge({ allow: ['bash', 'network'] })).toMatchObject({ verdict: 'allow' });
});

test.for([
  [['network(*.npmjs.org)'], true],
  [['network(registry.npmjs.org:443)'], false],
  [['network(npmjs.org)'], false],
  [['network(registry.npmjs.org.evil.example)'], false],
] as const)('the rules %j open the registry: %s', ([allow, opens]) => {
  expect(judge({ allow: ['bash', ...allow] }).verdict).toBe(opens ? 'allow' : 'ask');
});

test('every host needs its rule, and only those without one are asked for', () => {
  expect(judge({ allow: ['bash', `network(${REGISTRY})`] }, { hosts: [REGISTRY, 'a.example'] })).toMatchObject({
    verdict: 'ask',
    reasons: ['it reaches a.example'],
    rememberAs: ['network(a.example)'],
  });
});

test('a command that only reads asks when it is given a network', () => {
  expect(judge({}, { command: 'ls' })).toMatchObject({ verdict: 'ask', rememberAs: [`network(${REGISTRY})`] });
});

test('a deny rule denies, an ask rule asks in spite of an allow rule', () => {
  const allow = ['bash', 'network'];
  for (const deny of ['network', `network(${REGISTRY})`, 'network(npmjs.org)'])
    expect(judge({ allow, deny: [deny] })).toMatchObject({ verdict: 'deny' });
  expect(judge({ allow, deny: ['network(a.example)'] })).toMatchObject({ verdict: 'allow' });
  expect(judge({ allow, ask: ['network(npmjs.org)'] })).toMatchObject({
    verdict: 'ask',
    scopes: ['once', 'session'],
  });
});

describe('a tainted turn', () => {
  const allow = ['bash', 'network'];
  test('always asks a person, whatever the rules', () => {
    expect(judge({ allow, tainted: true })).toMatchObject({
      verdict: 'ask',
      needsPerson: true,
      scopes: ['once', 'session'],
    });
  });

  test('takes an answer that was given in one, and no other', () => {
    const as = [`bash(${COMMAND})`, `network(${REGISTRY})`];
    expect(judge({ tainted: true, answered: { as } })).toMatchObject({ verdict: 'ask', needsPerson: true });
    expect(judge({ tainted: true, answered: { as, tainted: true } })).toMatchObject({
      verdict: 'allow',
      protects: [`${ROOT}/package.json`],
    });
    expect(judge({ tainted: true })).toMatchObject({ verdict: 'ask', protects: [`${ROOT}/package.json`] });
  });
});

test.for(['127.0.0.1:4873', 'localhost:80', '[::1]:80', '10.0.0.1', '169.254.169.254', '[fd00::1]:443'])(
  '%s is named by a person or by a rule, and no mode allows it',
  (host) => {
    expect(judge({ mode: 'auto' }, { hosts: [host] })).toMatchObject({
      verdict: 'ask',
      notByMode: true,
      needsPerson: false,
      reasons: expect.arrayContaining([expect.stringContaining('is on this machine or in a private network')]),
    });
    expect(judge({ mode: 'auto', allow: [`network(${host})`] }, { hosts: [host] }).verdict).toBe('allow');
  },
);

test('the mode auto allows public hosts, and the mode plan none', () => {
  expect(judge({ mode: 'auto' }, { hosts: [REGISTRY, '1.1.1.1'] }).verdict).toBe('allow');
  expect(judge({ mode: 'plan', allow: ['network'] }, { command: 'ls' }).verdict).toBe('deny');
});

test('where nothing filters, the question says so and no rule answers it', () => {
  expect(judge({ allow: ['bash', 'network'] }, { filtered: false })).toMatchObject({
    verdict: 'ask',
    reasons: [expect.stringContaining('nothing filters')],
    scopes: ['once', 'session'],
  });
});

test('many hosts are counted in the title and named in the reasons', () => {
  const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
  expect(judge({}, { hosts })).toMatchObject({
    question: {
      title: 'Run in /home/u/project and reach 4 hosts?',
      titleParts: [
        { code: 'at-once', values: { directory: '/home/u/project' } },
        { code: 'reaches-many', values: { count: 4 } },
      ],
    },
    reasons: [`it reaches ${hosts.join(', ')}`, expect.any(String)],
  });
});

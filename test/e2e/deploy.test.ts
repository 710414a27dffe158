// The files of deploy/: what they name exists, and the probe says what the gateway says.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { startLainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');

it('names only variables that the documentation explains', () => {
  const pages = ['config/config.md', 'store.md', 'gateway/service.md', 'deploy.md'];
  const explained = pages.map((page) => readFileSync(join(deploy, '..', 'docs', page), 'utf8')).join('\n');
  const named = ['compose.yaml', 'kubernetes.yaml', 'Containerfile', 'make-role.sh'].flatMap((name) =>
    [...read(name).matchAll(/LAINCLAW_[A-Z_]+/g)].map(([variable]) => variable),
  );
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((variable) => !explained.includes(variable))).toEqual([]);
});

it('gives every gateway a volume of its own, time to end its turns, and waits for the tables', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { volumes?: string[]; stop_grace_period?: string; depends_on?: object }>;
  };
  const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'));
  expect(new Set(gateways.map(([, { volumes }]) => volumes?.[0])).size).toBe(2);
  for (const [, gateway] of gateways)
    expect(gateway).toMatchObject({
      stop_grace_period: '40s',
      depends_on: { tables: { condition: 'service_completed_successfully' } },
    });
  const resources = parseAllDocuments(read('kubernetes.yaml')).map((each) => each.toJS() as { kind: string });
  expect(resources.map(({ kind }) => kind)).toEqual(['Job', 'Service', 'StatefulSet', 'PodDisruptionBudget']);
  expect(resources[2]).toMatchObject({ spec: { template: { spec: { terminationGracePeriodSeconds: 40 } } } });
});

it('keeps the file with the secrets, and packages of this machine, out of the image', () => {
  const ignored = readFileSync(join(deploy, '..', '.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['**/.env', '.git', 'node_modules', 'dist']));
});

it('the probe succeeds while the gateway is ready, and tells the reason otherwise', async () => {
  const home = testHome();
  const probe = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(deploy, 'ready.mjs'), ...args], {
      env: { PATH: process.env.PATH, LAINCLAW_HOME: home.path },
    });
  await expect(probe()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('the gateway is not ready') });
  const gateway = startLainclaw(['gateway', 'start', '--channel=local', '--provider=stub'], { home });
  await gateway.saw('"event":"ready"');
  await probe();
  await probe('/health');
  gateway.kill('SIGTERM');
  await gateway.ended;
  await expect(probe('/health')).rejects.toMatchObject({ code: 1 });
});

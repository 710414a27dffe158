// The official conformance suite on our server code (with the suite's fixtures) and on our client code. Every scenario the suite
// knows is in one of these lists: a new version of it cannot add one unnoticed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startConformanceServer } from '../fakes/mcp/conformance-server.ts';
import { afterFile } from '../support/test-home.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = join(ROOT, 'test/fakes/mcp/conformance-client.ts');
const WITHOUT_OCTOKIT = join(ROOT, 'test/fakes/mcp/without-octokit.ts');
/** The suite's own limit for a client, which is meant for an idle machine. */
const CLIENT_TIMEOUT_MS = 170_000;

const SERVER = [
  'server-initialize',
  'logging-set-level',
  'ping',
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'json-schema-2020-12',
  'elicitation-sep1034-defaults',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'elicitation-sep1330-enums',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
];

/**
 * Only warned about, none of its checks succeeds: the scenario sends the header of protocol 2025-03-26, and no priming event is seen
 * for it. What `http-handler.test.ts` shows is less: a client whose own side broke is handed what it missed.
 */
const WARNED = ['server-sse-polling'];

const CLIENT_PASSES = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/cross-app-access-complete-flow',
];

const results = mkdtempSync(join(tmpdir(), 'lainclaw-conformance-'));
afterFile(() => rmSync(results, { recursive: true, force: true }));

function suite(...args: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ['--import', WITHOUT_OCTOKIT, SUITE, ...args], {
    cwd: results,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })));
}

const scenariosOf = (listed: string): string[] => [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);

interface Check {
  id: string;
  status: string;
  details?: { slightlyLate?: boolean; veryLate?: boolean };
}

/** What a run left on disk. */
function checksOf(run: string): Check[] {
  const directory = readdirSync(results, { recursive: true, encoding: 'utf8' }).find(
    (path) => path.startsWith(`${run}-20`) && path.endsWith('checks.json'),
  );
  return JSON.parse(readFileSync(join(results, directory ?? ''), 'utf8')) as Check[];
}

/** How many of the checks have each status. */
function statusesOf(scenario: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of checksOf(`server-${scenario}`)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('the conformance suite', () => {
  it('finds every server scenario fulfilled', async () => {
    expect(scenariosOf((await suite('list', '--server')).said)).toEqual(SERVER);
    const server = await startConformanceServer();
    afterFile(() => server.close());
    const { code, said } = await suite('server', '--url', server.url, '--suite', 'all', '-o', results);
    expect(code, said.slice(-3_000)).toBe(0);
    for (const scenario of SERVER) {
      const { SUCCESS = 0, FAILURE = 0, WARNING = 0 } = statusesOf(scenario);
      const isFulfilled = FAILURE === 0 && (WARNED.includes(scenario) || (SUCCESS > 0 && WARNING === 0));
      expect(isFulfilled, `${scenario}: ${SUCCESS} passed, ${FAILURE} failed, ${WARNING} warnings`).toBe(true);
    }
  });

  it('has no client scenario that is not in the list below', async () => {
    const known = scenariosOf((await suite('list', '--client')).said);
    expect(known.sort()).toEqual([...CLIENT_PASSES].sort());
  });

  it.concurrent.each(CLIENT_PASSES)('finds the client scenario %s fulfilled', async (scenario) => {
    const command = `${process.execPath} ${CLIENT}`;
    const limits = ['--timeout', String(CLIENT_TIMEOUT_MS), '-o', results];
    const { code, said } = await suite('client', '--command', command, '--scenario', scenario, ...limits);
    // One scenario measures when a client comes back. Too early is wrong; a busy machine makes it late.
    const isLate = ({ details }: Check): boolean => details?.veryLate === true || details?.slightlyLate === true;
    const failed =
      code === 0 ? [] : checksOf(scenario).filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    if (failed.length > 0 && failed.every(isLate)) return;
    expect(said).toContain('OVERALL: PASSED');
    expect(code).toBe(0);
  });
});

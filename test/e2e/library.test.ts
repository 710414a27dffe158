// The library as its users get it: the packed tarball, extracted beside a program of theirs. The example is the one of
// docs/library.md, so what the page shows runs and has the types it names.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { afterFile } from '../support/test-home.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const EXAMPLES = [...readFileSync(join(ROOT, 'docs', 'library.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code = '']) => code,
);

let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'lainclaw-library-'));
  afterFile(() => rmSync(project, { recursive: true, force: true }));
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], { cwd: ROOT });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  await run('tar', ['-xzf', join(project, filename), '-C', modules]);
  await run('mv', [join(modules, 'package'), join(modules, 'lainclaw')]);
  // What an installation would fetch, and the types of Node for a program in TypeScript.
  for (const scope of ['@huggingface', '@vscode', '@types'])
    symlinkSync(join(ROOT, 'node_modules', scope), join(modules, scope));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});

/** Runs a program in the project; its home is its own. */
async function program(code: string, config: object = {}): Promise<{ stdout: string; stderr: string; home: string }> {
  const home = mkdtempSync(join(project, 'home-'));
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const path = join(home, 'program.mjs');
  writeFileSync(path, code);
  const env = { PATH: process.env.PATH, LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' };
  return { ...(await run(process.execPath, [path], { cwd: project, env })), home };
}

it('the example of the documentation asks a model, which uses the tool', async () => {
  const server = await startModelServer({
    script: (request, index) =>
      index === 0
        ? { toolCalls: [{ name: 'word_count', args: { text: 'to be or not to be' } }] }
        : { text: `It has ${JSON.stringify(request.messages.at(-1)).match(/"?words\\*":\s*(\d+)/)?.[1]}.` },
  });
  afterFile(() => server.close());
  const config = { provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` };
  // It has no syntax of TypeScript in it, so Node runs it as it is.
  const { stdout, stderr, home } = await program(EXAMPLES[0] ?? '', config);
  expect(stdout).toBe('It has 6.');
  expect(stderr).toContain('word_count: {"ok":true,"data":{"words":6}');
  expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(JSON.stringify(config));
});

it('the examples have the types they say, and wrong arguments do not compile', async () => {
  const check = async (code: string): Promise<string> => {
    const path = join(project, 'checked.ts');
    writeFileSync(path, code);
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node', path];
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    return run(tsc, options, { cwd: project }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
  const [first = '', second = ''] = EXAMPLES;
  expect(await check(first)).toBe('');
  expect(
    await check(`import { createRuntime } from 'lainclaw';\nconst runtime = await createRuntime();\n${second}`),
  ).toBe('');
  const wrong = first.replace('text.split', 'text.toFixed');
  expect(await check(wrong)).toContain("'toFixed' does not exist on type 'string'");
});

describe('a program', () => {
  const WRITE = `tool:[{"name":"file_write","args":{"path":"note.txt","content":"hello"}}]`;

  it('decides about permission, and is refused without anybody to ask', async () => {
    const { stdout } = await program(`
      import { createRuntime } from 'lainclaw';
      import { mkdirSync, existsSync } from 'node:fs';
      import { join } from 'node:path';
      const root = join(process.env.LAINCLAW_HOME, '..', 'permission');
      mkdirSync(root, { recursive: true });
      const runtime = await createRuntime();
      const asked = [];
      const outcome = async (options) => {
        const workspace = await runtime.openWorkspace({ root, ...options });
        const turn = await workspace.ask(${JSON.stringify(WRITE)});
        const [{ result }] = (await turn.result()).toolResults;
        await workspace.close();
        return [result.ok, existsSync(join(root, 'note.txt'))];
      };
      const refused = await outcome({});
      const allowed = await outcome({
        askPermission: async ({ call, preview }) => {
          asked.push([call.name, preview.paths]);
          return 'once';
        },
      });
      await runtime.close();
      console.log(JSON.stringify({ refused, allowed, asked }));
    `);
    expect(JSON.parse(stdout)).toEqual({
      refused: [false, false],
      allowed: [true, true],
      asked: [['file_write', ['note.txt']]],
    });
  });

  it('keeps what was answered for good for a tool of its own in the conversation, not in the file that others read', async () => {
    const { stdout, home } = await program(`
      import { createRuntime, defineTool } from 'lainclaw';
      const properties = { path: { type: 'string' } };
      const note = defineTool({
        name: 'note', description: 'Mine.', effect: 'write',
        schema: { type: 'object', properties, required: ['path'], additionalProperties: false },
        subject: ({ path }) => ({ kind: 'path', path, access: 'write' }),
        execute: async () => ({ data: 'noted' }),
      });
      const runtime = await createRuntime({ tools: [note] });
      let asked = 0;
      const askPermission = async () => { asked += 1; return 'always'; };
      const workspace = await runtime.openWorkspace({ root: '.', askPermission });
      const oks = [];
      for (let round = 0; round < 2; round += 1) {
        const { toolResults } = await (await workspace.ask('tool:note {"path":"here.txt"}')).result();
        oks.push(toolResults[0].result.ok);
      }
      await runtime.close();
      console.log(JSON.stringify({ oks, asked }));
    `);
    expect(JSON.parse(stdout)).toEqual({ oks: [true, true], asked: 1 });
    expect(existsSync(join(home, 'permissions.json'))).toBe(false);
  });

  it('names by code what cannot be used', async () => {
    const { stdout } = await program(`
      import { CodedError, createRuntime, defineTool } from 'lainclaw';
      const schema = { type: 'object', properties: {}, additionalProperties: false };
      const tool = { name: 'bash', description: 'Mine.', schema, effect: 'read', execute: async () => ({ data: 1 }) };
      const codes = [];
      const told = (error) => codes.push(error instanceof CodedError ? error.code : error);
      try { defineTool({ ...tool, name: 'mcp__mine' }); } catch (error) { told(error); }
      await createRuntime({ tools: [{ name: 'mine' }] }).catch(told);
      const bad = { ...schema, properties: { a: { type: 'string', pattern: '(' } } };
      await createRuntime({ tools: [defineTool({ ...tool, name: 'mine', schema: bad })] }).catch(told);
      const runtime = await createRuntime({ tools: [defineTool(tool)] });
      await runtime.openWorkspace().catch(told);
      await runtime.close();
      await createRuntime({ variables: { ...process.env, LAINCLAW_LANG: 'xx' } }).catch(told);
      const other = await createRuntime({ home: 'elsewhere' });
      const workspace = await other.openWorkspace();
      await workspace.ask({ input: 'hello', provider: 'nope' }).catch(told);
      await workspace.ask(' ').catch(told);
      await other.invoke('nope').catch(told);
      await other.openWorkspace({ root: 'missing' }).catch(told);
      await other.close();
      await workspace.ask('hello').catch(told);
      await other.openWorkspace().catch(told);
      console.log(JSON.stringify(codes));
    `);
    expect(JSON.parse(stdout)).toEqual([
      'INVALID_TOOL',
      'INVALID_TOOL',
      'INVALID_TOOL',
      'TOOL_NAME_TAKEN',
      'CONFIG_INVALID',
      'UNSUPPORTED_PROVIDER',
      'ASK_INPUT_REQUIRED',
      'UNKNOWN_OPERATION',
      'not_found',
      'WORKSPACE_CLOSED',
      'RUNTIME_CLOSED',
    ]);
  });

  it('invokes operations, and can be required as well', async () => {
    const { stdout } = await program(`
      import { createRequire } from 'node:module';
      const { createRuntime } = createRequire(import.meta.url)('lainclaw');
      const runtime = await createRuntime();
      await runtime.invoke('memory.save', { content: 'The key is under the mat.' });
      const found = await runtime.invoke('memory.search', { query: 'key' });
      const problem = await runtime.invoke('memory.search', { query: 7 }).catch(({ code }) => code);
      await runtime.close();
      console.log(JSON.stringify({ text: JSON.stringify(found).includes('under the mat'), problem }));
    `);
    expect(JSON.parse(stdout)).toEqual({ text: true, problem: 'INVALID_INPUT' });
  });

  it('leaves a turn, which ends as cancelled, and nothing of it keeps the process', async () => {
    const { stdout } = await program(`
      import { createRuntime } from 'lainclaw';
      const runtime = await createRuntime();
      const workspace = await runtime.openWorkspace({ root: '.' });
      const turn = await workspace.ask({ input: 'hello', sessionKey: 'left' });
      for await (const event of turn) break;
      const left = await turn.result().catch(({ code }) => code);
      const stopped = new AbortController();
      const other = await workspace.ask({
        input: 'tool:[{"name":"bash","args":{"command":"sleep 60"}}]', approval: 'auto', signal: stopped.signal,
      });
      for await (const event of other) if (event.type === 'tool-start') stopped.abort();
      console.log(JSON.stringify([left, (await other.result()).stage]));
      await runtime.close();
    `);
    expect(JSON.parse(stdout)).toEqual(['TURN_LEFT', 'cancelled']);
  });
});

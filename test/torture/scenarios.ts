// Every entry point that writes, as a command that is killed.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { Home } from '../support/home.ts';
import { patching } from './patching.ts';
import { planting } from './planting.ts';
import { holds, run, type Scenario, tree } from './scenario.ts';

const WORD = 'zebra-7041';
const write = (path: string, content: string) => ({ name: 'file_write', args: { path, content } });
const calls = (...each: object[]): string => `tool:${JSON.stringify(each)}`;
const messagesOf = async (home: Home, key = 'main'): Promise<string[]> => {
  const shown = JSON.parse(await run(home, 'sessions', 'show', key, '--json')) as {
    messages: { role: string; content: string }[];
  };
  return shown.messages.map(({ content }) => content);
};
const linesOf = (path: string): number => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);

/** A turn with an effect that can be counted. */
function asking(name: string, session: string): Scenario {
  const effect = { name: 'bash', args: { command: 'echo once >> counted.txt' } };
  return {
    name,
    args: ['ask', '--session', session, '--approve=auto', calls(effect)],
    async setUp(home) {
      await run(home, 'ask', `remember ${WORD}`);
    },
    async problems(home, isShown, cause) {
      await run(home, 'ask', '--session', session, 'and then?');
      const problems: string[] = [];
      // A command that was running when its parent was killed may end meanwhile.
      const counted = linesOf(join(home.workspace, 'counted.txt'));
      if (counted > 1) problems.push(`the effect happened ${counted} times`);
      // What a command writes is as durable as the command makes it; on a full disk the command itself fails.
      if (isShown && counted !== 1 && !cause) problems.push(`shown, but the effect happened ${counted} times`);
      if (counted > 0 && !JSON.stringify(await messagesOf(home, session)).includes('counted.txt'))
        problems.push('the effect happened, and the conversation does not know of it');
      if (!(await messagesOf(home)).some((text) => text.includes(WORD))) problems.push('an earlier turn is gone');
      return problems;
    },
  };
}

async function twoTurns(home: Home): Promise<{ before: string; after: string }> {
  home.file('changed.txt', 'of the person\n');
  await run(home, 'ask', '--approve=auto', calls(write('changed.txt', 'first\n'), write('first.txt', 'first\n')));
  const before = tree(home);
  const later = calls(write('changed.txt', 'second\n'), write('new/second.txt', 'second\n'));
  await run(home, 'ask', '--approve=auto', later);
  return { before, after: tree(home) };
}

function undoing(): Scenario {
  let states = { before: '', after: '' };
  return {
    name: 'undo',
    args: ['undo'],
    async setUp(home) {
      states = await twoTurns(home);
    },
    async problems(home, isShown) {
      const listed = JSON.parse(await run(home, 'undo', '--list')) as { undone: boolean; undoes?: string }[];
      const now = tree(home);
      const problems: string[] = [];
      if (now !== states.before && now !== states.after) problems.push(`half undone: ${now}`);
      if (isShown && now !== states.before) problems.push('shown, but not undone');
      const [later, earlier] = listed.filter(({ undoes }) => undoes === undefined);
      if (later?.undone !== (now === states.before)) problems.push(`the record says undone: ${later?.undone}`);
      if (earlier?.undone !== false) problems.push('another turn was undone');
      return problems;
    },
  };
}

function rewinding(): Scenario {
  let states = { before: '', after: '' };
  const scenario: Scenario = {
    name: 'sessions rewind --files',
    args: [],
    async setUp(home) {
      states = await twoTurns(home);
      await run(home, 'ask', '--approve=auto', calls(write('changed.txt', 'third\n')));
      states.after = tree(home);
      const [first] = home.lines().flatMap((line) => (line.type === 'turn-end' ? [line.turnId] : []));
      scenario.args = ['sessions', 'rewind', 'main', '--turn', first ?? '', '--files', '--json'];
    },
    async problems(home, isShown) {
      await run(home, 'undo', '--list');
      const now = tree(home);
      const turns = home.lines().filter(({ type }) => type === 'turn-end').length;
      if (now === states.before && turns === 1) return [];
      if (now === states.after && turns === 3 && !isShown) return [];
      return [`half rewound: ${turns} turns, ${now}`];
    },
  };
  return scenario;
}

function deleting(): Scenario {
  return {
    name: 'sessions delete',
    args: ['sessions', 'delete', 'secret', '--yes'],
    async setUp(home) {
      await run(home, 'ask', 'something else');
      await run(home, 'ask', '--session', 'secret', `remember ${WORD}`);
      await run(home, 'ask', '--session', 'secret', '--approve=auto', calls(write('a.txt', WORD)));
    },
    async problems(home, isShown) {
      const listed = await run(home, 'sessions', 'list', '--json');
      const isThere = listed.includes('"secret"');
      if (isThere && isShown) return ['shown, but the session is there'];
      if (isThere) return (await messagesOf(home, 'secret')).length >= 4 ? [] : ['half deleted'];
      return holds(home, WORD) ? ['deleted, but the home holds its words'] : [];
    },
  };
}

function importing(): Scenario {
  const files = 6;
  return {
    name: 'memory import',
    args: ['memory', 'import', 'notes'],
    async setUp(home) {
      await run(home, 'memory', 'save', `before: ${WORD}`);
      for (let index = 0; index < files; index += 1)
        home.file(
          `notes/note-${index}.md`,
          `# Note ${index}\n\nThe answer of note ${index} is blue.\n\n${'More. '.repeat(400)}`,
        );
    },
    async problems(home) {
      await run(home, 'memory', 'import', 'notes');
      const listed = JSON.parse(await run(home, 'memory', 'list', '--limit', '100', '--json')) as unknown;
      const text = JSON.stringify(listed);
      const problems = text.includes(WORD) ? [] : ['an earlier memory is gone'];
      for (let index = 0; index < files; index += 1) {
        const times = text.split(`note-${index}.md`).length - 1;
        if (times !== 1) problems.push(`note ${index} is listed ${times} times`);
      }
      if (!(await run(home, 'memory', 'search', 'answer of note 3', '--json')).includes('note 3'))
        problems.push('not found');
      return problems;
    },
  };
}

function saving(): Scenario {
  return {
    name: 'memory save',
    args: ['memory', 'save', `The word is ${WORD}.`],
    async setUp(home) {
      await run(home, 'memory', 'save', 'Something else.');
    },
    async problems(home, isShown) {
      const listed = await run(home, 'memory', 'list', '--limit', '100', '--json');
      const times = listed.split(WORD).length - 1;
      if (times > 1) return [`listed ${times} times`];
      if (isShown && times === 0) return ['shown, but not listed'];
      return listed.includes('Something else.') ? [] : ['an earlier memory is gone'];
    },
  };
}

function backingUp(): Scenario {
  const folder = (home: Home): string => join(home.workspace, 'out');
  const output = (home: Home): string => join(folder(home), 'home.backup');
  const scenario: Scenario = {
    name: 'backup',
    args: [],
    async setUp(home) {
      await run(home, 'ask', `remember ${WORD}`);
      mkdirSync(folder(home));
      scenario.args = ['backup', '--output', output(home)];
    },
    async problems(home, isShown) {
      if (existsSync(output(home))) await run(home, 'backup', '--verify', output(home));
      else if (isShown) return ['shown, but there is no backup'];
      await run(home, 'backup', '--output', output(home), '--force');
      const left = readdirSync(folder(home)).filter((name) => name !== 'home.backup');
      return left.length === 0 ? [] : [`left beside the backup: ${left.join(', ')}`];
    },
  };
  return scenario;
}

function restoring(): Scenario {
  const scenario: Scenario = {
    name: 'restore',
    args: [],
    async setUp(home) {
      await run(home, 'ask', 'before the backup');
      const file = join(home.workspace, 'home.backup');
      await run(home, 'backup', '--output', file);
      await run(home, 'ask', 'after the backup');
      scenario.args = ['restore', file, '--yes'];
    },
    async problems(home, isShown) {
      const texts = await messagesOf(home);
      const asked = texts.filter((text) => ['before the backup', 'after the backup'].includes(text)).length;
      if (asked !== 1 && asked !== 2) return [`neither the old nor the new home: ${texts.join(' | ')}`];
      return isShown && asked !== 1 ? ['shown, but not restored'] : [];
    },
  };
  return scenario;
}

/** A command that changes a file of the home: afterwards it is as before, or done. */
function changing(name: string, args: string[], look: string[], sign: string): Scenario {
  return {
    name,
    args,
    async setUp(home) {
      await run(home, 'ask', `remember ${WORD}`);
    },
    async problems(home, isShown) {
      const isDone = (await run(home, ...look)).includes(sign);
      if (isShown && !isDone) return ['shown, but not done'];
      if (!isDone) await run(home, ...args);
      return (await run(home, ...look)).includes(sign) ? [] : ['cannot be repeated'];
    },
  };
}

function scheduling(): Scenario {
  return {
    name: 'schedule run',
    args: ['schedule', 'run', 'daily'],
    async setUp(home) {
      await run(home, 'schedule', 'add', 'daily', '--cron', '@yearly', '--message', 'hello');
    },
    async problems(home, isShown) {
      await run(home, 'schedule', 'run-due');
      const runs = JSON.parse(await run(home, 'schedule', 'history', 'daily', '--json')) as { status: string }[];
      if (runs.length > 1) return [`it ran ${runs.length} times`];
      const [only] = runs;
      if (only && !['ok', 'interrupted', 'failed'].includes(only.status)) return [`its run is ${only.status} for ever`];
      return isShown && only?.status !== 'ok' ? [`shown, but its run is ${only?.status}`] : [];
    },
  };
}

function chatting(): Scenario {
  return {
    name: 'chat',
    args: ['chat', '--session', 'main'],
    env: { NO_COLOR: '1' },
    keys: [
      { after: 'leaves', type: 'a question in the chat' },
      { after: 'in the chat', type: '\r' },
      { after: 'You said: a question', type: '\x04' },
    ],
    async setUp(home) {
      home.config({ provider: 'stub' });
      await run(home, 'ask', `remember ${WORD}`);
    },
    async problems(home) {
      const texts = await messagesOf(home);
      return texts.some((text) => text.includes(WORD)) ? [] : ['an earlier turn is gone'];
    },
  };
}

function settingUp(): Scenario {
  let server: ModelServer | undefined;
  const given = ['--language', 'ru', '--memory', 'on', '--channel', 'none'];
  const scenario = changing('setup', [], ['config', 'get', 'language'], 'ru');
  return {
    ...scenario,
    async setUp(home) {
      server = await startModelServer({ script: () => ({ text: 'hello' }), anonymous: true });
      const flags = ['--provider', 'openai-compatible', '--base-url', `${server.url}/v1`, '--model', 'fake-model'];
      scenario.args.push('setup', '--yes', ...flags, ...given);
      await scenario.setUp(home);
    },
    tearDown: async () => server?.close(),
  };
}

export function allScenarios(): Scenario[] {
  return [
    asking('ask', 'main'),
    asking('ask in a new session', 'other'),
    patching(),
    planting(),
    undoing(),
    rewinding(),
    deleting(),
    importing(),
    saving(),
    backingUp(),
    restoring(),
    settingUp(),
    changing('config set', ['config', 'set', 'language', 'zh'], ['config', 'get', 'language'], 'zh'),
    changing('trust add', ['trust', 'add', '.'], ['trust', 'list', '--json'], 'workspace'),
    changing(
      'schedule add',
      ['schedule', 'add', 'daily', '--cron', '@daily', '--message', 'hello'],
      ['schedule', 'list', '--json'],
      'daily',
    ),
    scheduling(),
    chatting(),
  ];
}

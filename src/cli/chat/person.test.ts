import { setImmediate as tick } from 'node:timers/promises';
import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { PermissionQuestion } from '../../tools/policy.ts';
import { createPerson } from './person.ts';
import type { Prompt } from './prompt.ts';

const plain = colors.createColors(false);
const forever = new AbortController().signal;

function question(title: string, scopes: readonly Scope[] = ['once', 'session', 'always']): PermissionQuestion {
  const verdict = { verdict: 'ask', reasons: ['it writes'], tainted: false, rememberAs: ['bash(rm x)'], scopes };
  return {
    call: { id: 'c', name: 'bash', args: {}, source: 'model' },
    verdict: { ...verdict, question: { title, exact: 'rm \x1b[2J x' } },
  } as unknown as PermissionQuestion;
}

function setUp() {
  const shown: string[] = [];
  let prompt: Prompt | undefined;
  const person = createPerson({
    colors: plain,
    setPrompt(next) {
      prompt = next;
    },
    clearPrompt() {
      prompt = undefined;
    },
    show(text) {
      const at = shown.push(text) - 1;
      return (answer) => {
        shown[at] = `${text}\n${answer}`;
      };
    },
  });
  const press = async (key: string): Promise<void> => {
    await tick();
    prompt?.handleInput(key);
    await tick();
  };
  return { person, shown, press, prompt: () => prompt?.render(80).join('\n') };
}

describe('a permission question in the chat', () => {
  it.each([
    ['y', 'once', '→ allowed once'],
    ['S', 'session', '→ allowed for this session'],
    ['a', 'always', '→ always allowed'],
    ['n', undefined, '→ not allowed'],
    ['\r', undefined, '→ not allowed'],
    ['\x1b', undefined, '→ not allowed'],
  ])('is shown as ask shows it, and answered by %j', async (key, scope, told) => {
    const { person, shown, press, prompt } = setUp();
    const asked = person.askPerson(question('Run?'), forever);
    await press('x');
    expect(prompt()).toContain('[y] once  [s] this session  [a] always  [N] no');
    await press(key);
    expect(await asked).toBe(scope);
    expect(shown).toEqual([
      `? Run?\n  rm \\x1b[2J x\n  (it writes)\n  always: bash(rm x), in this folder only\n${told}`,
    ]);
    expect(prompt()).toBeUndefined();
  });

  it('unfolds a long text by a key, and is answered after', async () => {
    const { person, shown, press, prompt } = setUp();
    const long = question('Run?');
    const exact = Array.from({ length: 80 }, (_, line) => `line ${line}`).join('\n');
    const asked = person.askPerson(
      { ...long, verdict: { ...long.verdict, question: { ...long.verdict.question, exact } } },
      forever,
    );
    await press('x');
    expect(prompt()).toContain('[m] show all');
    expect(shown[0]).toContain('… 20 more lines');
    await press('m');
    expect(shown[1]).toContain('line 79');
    await press('y');
    expect(await asked).toBe('once');
  });

  it('cannot be given what it does not offer, by key or by command', async () => {
    const { person, press, prompt } = setUp();
    const asked = person.askPerson(question('Run?', ['once']), forever);
    await press('a');
    expect(prompt()).toMatch(/\[y\] once {2}\[N\] no/);
    expect(person.answer('always')).toContain('once');
    expect(person.answer('once')).toBeUndefined();
    expect(await asked).toBe('once');
    expect(person.answer('once')).toBe('Nothing is asked for here.');
  });

  it('waits for the one before it', async () => {
    const { person, shown, press } = setUp();
    const answers = Promise.all([
      person.askPerson(question('First?'), forever),
      person.askPerson(question('Second?'), forever),
    ]);
    await tick();
    expect(person.waiting()).toBe(2);
    expect(shown).toHaveLength(1);
    await press('y');
    await press('n');
    expect(await answers).toEqual(['once', undefined]);
    expect(shown.map((text) => text.split('\n')[0])).toEqual(['? First?', '? Second?']);
  });

  it('is taken back with its turn, and the next one is asked', async () => {
    const { person, shown, press, prompt } = setUp();
    const turn = new AbortController();
    const first = person.askPerson(question('First?'), turn.signal);
    const second = person.askPerson(question('Second?'), forever);
    await tick();
    turn.abort();
    await expect(first).rejects.toThrow();
    await press('y');
    expect(await second).toBe('once');
    expect(shown[0]).toContain('→ no answer');
    expect(prompt()).toBeUndefined();
  });
});

describe('other questions', () => {
  it('of the chat itself mean no unless y is pressed', async () => {
    const { person, press } = setUp();
    const yes = person.confirm('? Really?', forever);
    await press('y');
    expect(await yes).toBe(true);
    const no = person.confirm('? Really?', forever);
    await press('\r');
    expect(await no).toBe(false);
  });

  it('in forms are filled in line by line', async () => {
    const { person, shown, press, prompt } = setUp();
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const asked = person.askForm({ server: 'test', message: 'Who?', schema }, forever);
    const type = async (text: string): Promise<void> => {
      await eventually(() => expect(prompt()).toBeDefined());
      for (const key of text) await press(key);
    };
    await type('f\r');
    await type('Ann\r');
    await type('y\r');
    expect(await asked).toEqual({ action: 'accept', content: { name: 'Ann' } });
    expect(shown.at(-1)).toMatch(/Send this[\s\S]*name = "Ann"\n→ sent/);
  });
});

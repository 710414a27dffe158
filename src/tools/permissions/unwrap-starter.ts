// Programs that start the command their own words end with: timeout 5 ls, nice -n 10 make, sudo rm.
import { type Assignment, ELEVATED, LASTING, type Word } from './command.ts';
import { type OptionSyntax, skipOptions } from './skip-options.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';

interface Starter extends OptionSyntax {
  /** Words between the options and the command. */
  operands?: number;
  /** Takes NAME=value words before the command. */
  assigns?: boolean;
  /** Options that make it do something else than start the command. */
  hazardous?: readonly string[];
  hazard?: string;
}

const STARTERS: ReadonlyMap<string, Starter> = new Map(
  Object.entries<Starter>({
    builtin: {},
    command: { flags: 'pvV' },
    exec: { flags: 'cl', values: 'a' },
    time: { flags: 'pv', values: 'f', long: ['--verbose', '--portability'], longValues: ['--format'] },
    nice: { flags: '0123456789', values: 'n', longValues: ['--adjustment'] },
    ionice: { flags: 't', values: 'cn', hazardous: ['-p'], longValues: ['--class', '--classdata'] },
    timeout: {
      flags: 'v',
      values: 'ks',
      long: ['--foreground', '--preserve-status', '--verbose'],
      longValues: ['--kill-after', '--signal'],
      operands: 1,
    },
    stdbuf: { values: 'ioe', longValues: ['--input', '--output', '--error'] },
    env: {
      flags: 'i0v',
      values: 'uCS',
      long: ['--ignore-environment', '--null', '--debug'],
      longValues: ['--unset', '--chdir', '--split-string'],
      assigns: true,
      hazardous: ['-C', '--chdir', '-S', '--split-string'],
    },
    nohup: { hazard: LASTING },
    setsid: { flags: 'cfw', long: ['--ctty', '--fork', '--wait'], hazard: LASTING },
    sudo: {
      flags: 'AbEeHikKlnPSsv',
      values: 'CDghpRrTtUu',
      long: ['--non-interactive', '--preserve-env', '--login', '--shell', '--stdin', '--background'],
      longValues: ['--user', '--group', '--chdir', '--host', '--prompt'],
      assigns: true,
      hazard: ELEVATED,
    },
    doas: { flags: 'Lns', values: 'aCu', hazard: ELEVATED },
    pkexec: { longValues: ['--user'], hazard: ELEVATED },
    busybox: { hazard: 'runs an applet' },
    toybox: { hazard: 'runs an applet' },
  }),
);

/** They start the command too, but in ways that take a manual: every word that could be its name is looked at. */
const SEARCHED = new Map(
  Object.entries({
    ...Object.fromEntries(
      ['su', 'runuser', 'sg', 'gosu', 'su-exec', 'chroot', 'setpriv', 'capsh'].map((name) => [name, ELEVATED]),
    ),
    ...Object.fromEntries(
      'unshare nsenter strace ltrace gdb valgrind systemd-run flock taskset chrt numactl fakeroot xvfb-run caffeinate firejail bwrap proxychains torsocks unbuffer rlwrap entr'
        .split(' ')
        .map((name) => [name, 'starts another program']),
    ),
  }),
);
const MAX_SEARCHED = 6;

export function unwrapStarter(name: string, words: readonly Word[]): Unwrapped | undefined {
  const starter = STARTERS.get(name);
  if (starter) return start(name, starter, words);
  const hazard = SEARCHED.get(name);
  if (hazard === undefined) return undefined;
  const inner = words
    .flatMap((word, index) => (word.kind === 'static' && /^[\w./]/.test(word.text) ? [words.slice(index)] : []))
    .slice(0, MAX_SEARCHED)
    .map((found): Inner => command(found));
  const scripts = words.flatMap((word): Inner[] =>
    word.kind === 'static' && /\s/.test(word.text) ? [{ kind: 'script', text: word.text }] : [],
  );
  return { inner: [...inner, ...scripts], hazards: [hazard] };
}

function start(name: string, starter: Starter, words: readonly Word[]): Unwrapped {
  const { options, rest, certain } = skipOptions(words, starter);
  const hazards = starter.hazard === undefined ? [] : [starter.hazard];
  const hazardous = options.find((option) => starter.hazardous?.includes(option.name));
  if (hazardous) hazards.push(`${name} ${hazardous.name} does more than start a command`);
  // `command -v ls` only tells where it is.
  if (name === 'command' && options.some((option) => /^-[vV]$/.test(option.name))) return { inner: [], hazards };
  const uncertain = !certain || rest.slice(0, starter.operands ?? 0).some((word) => word.kind !== 'static');
  const split = options.flatMap(({ name: option, value }) =>
    option === '-S' || option === '--split-string' ? splitWords(value) : [],
  );
  const found = readAssignments([...split, ...rest.slice(starter.operands ?? 0)], starter.assigns === true);
  const unseen = uncertain ? `${name} is given words that are only known when it runs` : undefined;
  if (found.words.length === 0) return { inner: [], hazards, unseen };
  return { inner: [command(found.words, found.assignments)], hazards, unseen };
}

function readAssignments(
  words: readonly Word[],
  assigns: boolean,
): { assignments: readonly Assignment[]; words: readonly Word[] } {
  const assignments: Assignment[] = [];
  let index = 0;
  for (; assigns && index < words.length; index += 1) {
    const word = words[index];
    const text = word?.kind === 'static' ? word.text : word?.kind === 'dynamic' ? word.prefix : '';
    const equals = text.indexOf('=');
    if (!word || equals < 1) break;
    const value: Word = word.kind === 'static' ? { kind: 'static', text: text.slice(equals + 1) } : word;
    assignments.push({ name: text.slice(0, equals), value });
  }
  return { assignments, words: words.slice(index) };
}

/** env -S splits like a shell, with escapes of its own; the hazard of -S makes anything but plain words ask anyway. */
function splitWords(value: Word | undefined): Word[] {
  if (value?.kind !== 'static') return value ? [value] : [];
  return value.text
    .replace(/['"\\]/g, '')
    .split(/\s+/)
    .filter((part) => part !== '')
    .map((part) => ({ kind: 'static', text: part }));
}

function command(words: readonly Word[], assignments: readonly Assignment[] = []): Inner {
  return { kind: 'command', words, assignments };
}

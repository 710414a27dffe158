// A small shell that starts programs for this process. Starting one from here takes milliseconds in which nothing else runs:
// the kernel copies the tables of all our memory first. The shell is fed one script, piece by piece. What it starts has
// pipes of ours as its descriptors, opened through /proc. The shell ends when this process does, because its input then ends,
// and ends what it started before: a bubblewrap that dies with its parent (`--die-with-parent`) while it makes its namespaces
// leaves the first process of its sandbox behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { atLatest } from './at-latest.ts';
import { yieldToOthers } from './limiter.ts';
import { closeFifo, type Fifo, type MakeFifos, openFifo } from './pipes.ts';
import { SandboxError } from './sandbox.ts';
import { quoted } from './shell-quote.ts';
import { stdioFor } from './spawn-stdio.ts';

const SHELL = '/bin/sh';
/** Descriptors of the shell that it uses for nothing else. */
const PIPE_DESCRIPTORS = [3, 4, 5, 6, 7, 8];
/** How long one request may take: a shell that hangs is given up. */
const ANSWER_MS = 10_000;
/** Hundredths of a second that a program may take to stop. */
const STOP_LOOKS = 500;
/** A stopped program starts no other: those that it has started are all that there are. */
const AT_END = `exec 2>/dev/null; PATH=/usr/bin:/bin
for p in $started; do
kill -STOP $p || continue
n=0; while [ $n -lt ${STOP_LOOKS} ] && read -r _ _ s _ </proc/$p/stat; do
case $s in [TtZX]) break;; esac
n=$((n+1)); sleep 0.01; done
c=; read -r c </proc/$p/task/$p/children; kill -9 $c $p
done`;

/** `both` is for a pipe that must not kill its writer when this process, its reader, is gone. */
const OPENED = { read: '<', write: '>', both: '<>' } as const;

export interface StartRequest {
  argv: readonly string[];
  /** Our pipes, by the descriptor that the program gets them as; `from` is ours. */
  descriptors: readonly { as: number; from: number; mode: keyof typeof OPENED }[];
  /** The file that takes a process into a control group. */
  group?: string;
}

export interface StartedProgram {
  pid: number;
  isInGroup: boolean;
}

export interface Starter {
  /** Resolves once the program has its descriptors: ours are then needed no longer. Its environment is empty. */
  start(request: StartRequest): Promise<StartedProgram>;
  /** Called once a started program has ended. */
  forget(pid: number): void;
  makeFifos: MakeFifos;
  /** Pipes that are in no directory, at most six at once. Undefined where this shell makes none. */
  openPipes(count: number): Promise<Fifo[] | undefined>;
  /** Has the shell run this when this process ends before the returned function is called, however it ends. Never throws. */
  insure(script: string): () => void;
  /** Ends the shell, and with it all that it started. */
  close(): Promise<void>;
}

export interface StarterDependencies {
  /** The program. */
  mkfifo(): Promise<string>;
  /** Descriptors that must not reach what is started. */
  inherited(): readonly number[];
}

export function createStarter({ mkfifo, inherited }: StarterDependencies): Starter {
  let shell: Shell | undefined;
  const insured = new Set<{ script: string }>();
  let makesPipes = true;
  let last: Promise<unknown> = Promise.resolve();

  function started(): Shell {
    if (!shell || shell.hasEnded()) {
      shell = startShell(inherited());
      insure(shell);
    }
    return shell;
  }

  function insure(by: Shell): void {
    by.say(`trap ${quoted([AT_END, ...[...insured].map(({ script }) => script)].join('\n'))} EXIT\n`);
  }

  /** One after another: what is started must not get pipes that the shell holds for somebody else. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  /** The words that the shell answers, one line each. */
  function request(lines: number, scriptFor: (answer: string) => string): Promise<string[]> {
    return started().ask(lines, scriptFor);
  }

  return {
    async start({ argv, descriptors, group }) {
      const opened = descriptors.map(({ as, from, mode }) => `${as}${OPENED[mode]}/proc/${process.pid}/fd/${from}`);
      const enter = group === undefined ? ':' : `{ echo 0 >${quoted(group)}; } 2>/dev/null && group=1`;
      const answers = await inTurn(() =>
        request(
          2,
          (answer) => `(
command exec ${opened.join(' ')} || { ${answer} refused; exit 1; }
group=0; ${enter}
${answer} group $group
exec 9>&-
exec ${argv.map(quoted).join(' ')}
) &
started="$started $!"
${answer} pid $!
`,
        ),
      );
      const answerOf = (name: string): string | undefined =>
        answers.find((each) => each.startsWith(`${name} `))?.slice(name.length + 1);
      const [pid, isInGroup] = [Number(answerOf('pid')), answerOf('group')];
      if (isInGroup === undefined) {
        shell?.say(forgetting(pid));
        throw new SandboxError('setup-failed', 'the shell that starts sandboxes cannot open their pipes');
      }
      return { pid, isInGroup: isInGroup === '1' };
    },
    forget(pid) {
      if (shell && !shell.hasEnded()) shell.say(forgetting(pid));
    },
    async makeFifos(paths) {
      const program = quoted(await mkfifo());
      const script = `${program} -m 600 ${paths.map(quoted).join(' ')} >/dev/null 2>&1`;
      const [answer] = await request(1, (say) => `${script}; ${say} $?\n`);
      if (answer !== '0') throw new SandboxError('setup-failed', 'no pipes could be made');
    },
    async openPipes(count) {
      const numbers = PIPE_DESCRIPTORS.slice(0, count);
      if (!makesPipes || numbers.length < count) return undefined;
      return inTurn(async () => {
        // A short text that is given to a shell's command is a pipe, which this process opens at both ends.
        const given = numbers.map((number) => `${number}<<.`).join(' ');
        const [pid] = await request(1, (answer) => `exec ${given}\n${'.\n'.repeat(count)}${answer} $$\n`);
        const fifos: Fifo[] = [];
        try {
          for (const number of numbers) fifos.push(openFifo(`/proc/${pid}/fd/${number}`));
          return fifos;
        } catch {
          for (const fifo of fifos) closeFifo(fifo);
          makesPipes = false;
          return undefined;
        } finally {
          shell?.say(`exec ${numbers.map((number) => `${number}<&-`).join(' ')}\n`);
        }
      });
    },
    insure(script) {
      const entry = { script };
      insured.add(entry);
      // Without a shell (no descriptors left, too many processes) the command runs all the same.
      tryTo(() => insure(started()));
      return () => {
        insured.delete(entry);
        if (shell && !shell.hasEnded()) insure(shell);
      };
    },
    async close() {
      await shell?.end();
    },
  };
}

/** Also takes the program's end from the kernel, so that it does not stay as a zombie. */
function forgetting(pid: number): string {
  return `wait ${pid}; s=; for p in $started; do [ $p = ${pid} ] || s="$s $p"; done; started=$s\n`;
}

function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // The shell cannot be started now; the next request tries again.
  }
}

interface Shell {
  hasEnded(): boolean;
  say(script: string): void;
  /** `scriptFor` gets the command that answers with the words behind it. Rejects when the shell ends before. */
  ask(lines: number, scriptFor: (answer: string) => string): Promise<string[]>;
  end(): Promise<void>;
}

interface Waiting {
  lines: number;
  answers: string[];
  resolve(answers: string[]): void;
  reject(error: Error): void;
}

function startShell(inherited: readonly number[]): Shell {
  const { stdio, close } = stdioFor({ input: 'pipe', outputs: ['pipe', 'nothing'], channels: 0, inherited });
  let child: ChildProcess;
  try {
    child = spawn(SHELL, [], { cwd: '/', env: {}, detached: true, stdio });
  } finally {
    close();
  }
  if (child.pid !== undefined) yieldToOthers(child.pid);
  const [input, output] = [child.stdin, child.stdout] as [Socket, Socket];
  const all = [child, input, output];
  for (const each of all) each.unref();
  const waiting = new Map<string, Waiting>();
  let hasEnded = false;
  let requests = 0;

  const ended = (): void => {
    hasEnded = true;
    for (const { reject } of waiting.values())
      reject(new SandboxError('setup-failed', 'the shell that starts sandboxes has ended'));
    waiting.clear();
  };
  child.once('error', ended);
  child.once('exit', ended);
  input.on('error', () => {});
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });

  function hear(line: string): void {
    const [id = '', ...words] = line.split(' ');
    const request = waiting.get(id);
    request?.answers.push(words.join(' '));
    if (request?.answers.length !== request?.lines) return;
    waiting.delete(id);
    request?.resolve(request.answers);
  }

  async function end(): Promise<void> {
    if (child.pid === undefined || hasEnded) return;
    const gone = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await gone;
  }

  // Answers go to a descriptor that what is started does not get.
  input.write('exec 9>&1 >/dev/null\n');
  return {
    hasEnded: () => hasEnded,
    say: (script) => void input.write(script),
    async ask(lines, scriptFor) {
      requests += 1;
      const id = String(requests);
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      waiting.set(id, { lines, answers: [], resolve, reject });
      input.write(scriptFor(`echo >&9 ${id}`));
      return atLatest(promise, ANSWER_MS, () => void end());
    },
    end,
  };
}

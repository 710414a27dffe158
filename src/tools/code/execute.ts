import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Limits, type Sandbox, SandboxError } from '../../sandbox/sandbox.ts';
import { defineTool } from '../define-tool.ts';
import { tellNetwork } from '../network/explain-network.ts';
import { hiddenFrom, toOutput } from '../shell/bash.ts';
import { type CommandSettings, HOSTS_SCHEMA, limitsWith, refuseNetwork } from '../shell/command-settings.ts';
import { orSandboxFailure, runSandboxed } from '../shell/run-sandboxed.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const LONGEST_TIMEOUT_MS = 300_000;
const ENDING_MS = 5_000;
const OUTPUT = { headBytes: 20_000, tailBytes: 12_000, maxBytes: 256 * 1024 ** 2 };
const LIMITS: Limits = { memoryBytes: 1024 ** 3, cpuSeconds: 120, fileSizeBytes: 64 * 1024 ** 2, processes: 64 };
const MOST_FILES = 50;
const LARGEST_TEXT = 100_000;

const INTERPRETERS = {
  python: { file: 'main.py', argv: ['python3', '-I', '-B'] },
  bash: { file: 'main.sh', argv: ['/bin/bash', '--noprofile', '--norc'] },
} as const;

export interface CodeExecuteDependencies {
  /** Where it does not isolate, or cannot bound how many processes there are, no code runs. */
  sandbox(): Promise<Sandbox>;
  environment: Readonly<Record<string, string>>;
  /** Where installed skills are: code may read them. */
  skillFolders: readonly string[];
  settings?: CommandSettings;
}

export function createCodeExecuteTool(dependencies: CodeExecuteDependencies): ToolSpec {
  const { sandbox, environment, skillFolders, settings = {} } = dependencies;
  const limits = limitsWith(LIMITS, settings);
  const { network: networkSetting = 'off', privateHosts, ownProxy } = settings;
  return defineTool({
    name: 'code_execute',
    schema: {
      type: 'object',
      properties: {
        language: { type: 'string', enum: ['python', 'bash'], default: 'python' },
        code: { type: 'string', minLength: 1, maxLength: 200_000 },
        timeoutMs: { type: 'integer', minimum: 1, maximum: LONGEST_TIMEOUT_MS, default: DEFAULT_TIMEOUT_MS },
        network: HOSTS_SCHEMA,
      },
      required: ['code'],
      additionalProperties: false,
    },
    effect: 'exec',
    subject: ({ network = [] }) => ({ kind: 'none', ...(networkSetting === 'ask' && { network }) }),
    // Without a sandbox it does not run.
    isContained: async () => true,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    timeoutOf: ({ timeoutMs }) => timeoutMs + ENDING_MS,
    unavailable: async () => {
      try {
        return await whyUnfit(await sandbox());
      } catch (error) {
        if (error instanceof SandboxError) return error.message;
        throw error;
      }
    },
    async execute({ language, code, timeoutMs, network: asked }, context) {
      refuseNetwork(networkSetting, asked);
      const { workspace, signal, hides, progress, spoolPath, keptPath, afterwards, network } = context;
      const backend = await sandbox().catch(orSandboxFailure);
      const unfit = await whyUnfit(backend);
      if (unfit !== undefined) throw new ToolFailure(unfit, { reason: 'denied' });
      const hide = hides ? await hiddenFrom(backend, workspace, hides, signal) : [];
      const { file, argv } = INTERPRETERS[language];
      const scratch = await mkdtemp(join(tmpdir(), 'lainclaw-code-'));
      try {
        await mkdir(join(scratch, 'output'));
        await writeFile(join(scratch, file), code, { flag: 'wx' });
        const finished = await runSandboxed(backend, {
          command: {
            argv: [...argv, file],
            cwd: scratch,
            env: { ...environment, HOME: scratch },
            profile: {
              scratch,
              workspace: { path: workspace.root, access: 'read-only' },
              readOnly: skillFolders.filter((folder) => existsSync(folder)),
              protect: [],
              hide,
              limits,
            },
          },
          timeoutMs,
          output: OUTPUT,
          signal,
          progress,
          spoolPath,
          afterwards,
          network,
          privateHosts,
          ownProxy,
        });
        if (finished.cancelled) signal.throwIfAborted();
        const notes = tellNetwork(finished, { backend, setting: networkSetting, progress });
        const output = toOutput(finished, { sandbox: backend.name }, timeoutMs, notes);
        const files = await collect(join(scratch, 'output'), keptPath);
        const listed = files.map(({ name, size, path }) => `${name} (${size} bytes) is in ${path}`);
        // The code may print what looks like these lines; how many there are, it cannot change.
        const meta = { ...output.meta, leftFiles: files.length };
        return { data: { ...(output.data as object), files }, text: [output.text, ...listed].join('\n'), meta };
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
  });
}

/** Undefined: code can run in it. Code that forks without end must not take the machine with it. */
async function whyUnfit(sandbox: Sandbox): Promise<string | undefined> {
  const start = 'code_execute runs only inside a sandbox, and';
  if (!sandbox.isolates) {
    const { because } = sandbox;
    if (!because) return `${start} it is switched off: lainclaw config set sandbox auto`;
    return `${start} bubblewrap does not work here (${because.reason}): ${because.fix}`;
  }
  const state = await sandbox.available();
  if (!state.ok) return `${start} ${sandbox.name} does not work here (${state.reason}): ${state.fix}`;
  if (state.limits.processes === 'tree') return undefined;
  return `${start} ${sandbox.name} cannot limit here how many processes the code starts`;
}

interface LeftFile {
  name: string;
  size: number;
  path: string;
  text?: string;
}

/** Regular files only, straight in the folder: the code may have left links and pipes there. */
async function collect(directory: string, keptPath: ToolContext['keptPath']): Promise<LeftFile[]> {
  const names = (await readdir(directory).catch(() => [])).sort().slice(0, MOST_FILES);
  const files: LeftFile[] = [];
  for (const name of names) {
    const path = join(directory, name);
    if (!(await lstat(path)).isFile()) continue;
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > LIMITS.fileSizeBytes) continue;
      const bytes = await handle.readFile();
      const isText = bytes.length <= LARGEST_TEXT && !bytes.includes(0);
      const kept = await keptPath(name);
      await writeFile(kept, bytes, { flag: 'wx', mode: 0o600 });
      files.push({ name, size: bytes.length, path: kept, ...(isText && { text: bytes.toString('utf8') }) });
    } finally {
      await handle.close();
    }
  }
  return files;
}

// Every setting of config.json: what it may be, what holds without it, and the variable and flag that come before it.
// Loading, errors, `lainclaw config`, completion and the documentation are made from this table.
import { EFFORTS, type Effort } from './effort.ts';
import { type HookSettings, hooks } from './hooks.ts';
import { address, choice, count, database, type Kind, list, onOff, text } from './kinds.ts';
import { APPROVALS, type Approval, MODES, type Mode } from './mode.ts';

export const LANGUAGES = ['en', 'zh', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How a chat at the terminal calls a person back: the bell, or a notification of the terminal in one of its two protocols. */
export const NOTIFICATION_KINDS = ['off', 'bell', 'osc9', 'osc777'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const SEARCH_SERVICES = ['brave', 'tavily', 'exa', 'searxng', 'model'] as const;
const NETWORKS = ['ask', 'off'] as const;
const ON_TIMEOUT = ['end', 'background'] as const;
export const SANDBOXES = ['auto', 'bubblewrap', 'docker', 'none'] as const;

/** What config.json may hold. */
export interface FileSettings {
  provider?: string;
  model?: string;
  profile?: string;
  effort?: Effort;
  fallback?: string[];
  /** Of the `openai-compatible` provider. */
  baseUrl?: string;
  language?: Language;
  /** Told to the model beside its own prompt; `@file` reads it from a file. */
  system?: string;
  memory?: boolean;
  /** Whether the model gives conversations of `chat` their titles. */
  modelTitles?: boolean;
  mode?: Mode;
  /** The older name of the mode. */
  approve?: Approval;
  toolMaxSteps?: number;
  /** The most tokens of earlier conversation that a request holds. */
  historyTokens?: number;
  /** The most tokens that a model is taken to take in. */
  contextWindow?: number;
  maxTokens?: number;
  maxCostUsd?: number;
  dailyMaxTokens?: number;
  dailyMaxCostUsd?: number;
  /** How commands are run; `auto` is the strongest there is. */
  sandbox?: (typeof SANDBOXES)[number];
  dockerImage?: string;
  /** Memory of all processes of a `bash` command together. */
  bashMemoryMb?: number;
  /** Processor time of each process. */
  bashCpuSeconds?: number;
  /** `ask`: a command can ask for the hosts that it needs. */
  bashNetwork?: (typeof NETWORKS)[number];
  /** What becomes of a bash command that takes longer than its timeout. */
  bashOnTimeout?: (typeof ON_TIMEOUT)[number];
  codeMemoryMb?: number;
  codeCpuSeconds?: number;
  codeNetwork?: (typeof NETWORKS)[number];
  /** Hosts that a permitted command may reach although their addresses are not public. */
  privateHosts?: string[];
  /** The service that web_search asks, and where it is. */
  webSearch?: (typeof SEARCH_SERVICES)[number];
  webSearchUrl?: string;
  /** The server that transcribes voice messages of chats, and its model. */
  transcriptionUrl?: string;
  transcriptionModel?: string;
  /** Sub-agents in the background at the same time. */
  backgroundRuns?: number;
  /** Of what `file_write` may leave. */
  maxFileSizeBytes?: number;
  /** Of a server that gives embeddings in OpenAI's protocol, and its model. */
  embeddingBaseUrl?: string;
  embeddingModel?: string;
  /** Processors that a local embedding model uses. */
  embeddingThreads?: number;
  /** Tokens of a chunk in the archive, about. */
  memoryChunkTokens?: number;
  /** Whether a model extracts facts from conversations that remember. */
  memoryFacts?: boolean;
  /** Which model does. */
  memoryFactsModel?: string;
  /** Whether `ask` leaves a process behind that does it for conversations that have rested. */
  memoryFactsAfterAsk?: boolean;
  /** The most tokens that it may use in a day. */
  memoryFactsDailyTokens?: number;
  /** How long a conversation rests before. */
  memoryFactsRestMinutes?: number;
  /** When a turn in a chat at the terminal ends or asks, and nobody has typed for a while. */
  notify?: NotificationKind;
  notifyAfterSeconds?: number;
  /** Commands of the owner's that are run when something happens. */
  hooks?: HookSettings;
  /** How much of the audit log is kept. */
  auditMegabytes?: number;
  /** How many automatic backups are kept. */
  backups?: number;
  /** The database that keeps the records, in place of files of the home. */
  store?: string;
  /** Files of conversations up to this size are kept in that database. */
  storeFileMegabytes?: number;
  /** The S3-compatible store for larger ones. */
  s3Endpoint?: string;
  s3Region?: string;
  s3Bucket?: string;
  s3Prefix?: string;
  s3PathStyle?: boolean;
}

export type SettingKey = keyof FileSettings;

export interface Setting {
  kind: Kind;
  about: string;
  /** What holds without it, in words where it is not a plain value. */
  default?: string | number | boolean;
  /** The variable that comes before the file. */
  variable?: string;
  /** The flag of `ask` and `chat` that comes before both. */
  flag?: string;
}

const amount: Kind = {
  accepted: 'a number above 0',
  isAccepted: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
  parse: (written) => (/^\d*\.?\d+$/.test(written) ? Number(written) : written),
};

const LONGEST_PROSE = 20_000;

/** May have several lines. */
const prose: Kind = {
  accepted: `a text of at most ${LONGEST_PROSE} characters, or @file`,
  isAccepted: (value) => typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_PROSE,
  parse: (written) => written,
};

export const SETTINGS: Readonly<Record<SettingKey, Setting>> = {
  provider: {
    kind: text('a text, the name of a provider'),
    about: 'the model provider',
    default: 'stub',
    variable: 'LAINCLAW_PROVIDER',
    flag: '--provider',
  },
  model: { kind: text(), about: 'the model, or provider/model', default: "the provider's own", flag: '--model' },
  profile: { kind: text(), about: 'the sign-in to use', default: 'the active one', flag: '--profile' },
  effort: {
    kind: choice(EFFORTS),
    about: 'how long the model thinks, where it can',
    default: "the provider's own",
    flag: '--effort',
  },
  fallback: {
    kind: list('a list of texts: providers, or provider/model'),
    about: 'providers that are asked in this order when the first one fails',
    default: 'none',
  },
  baseUrl: {
    kind: address,
    about: 'the address of the openai-compatible server',
    default: "a local Ollama's",
    variable: 'LAINCLAW_BASE_URL',
    flag: '--base-url',
  },
  language: {
    kind: choice(LANGUAGES),
    about: 'the language of our own words to the model, and of what tools answer',
    default: 'en',
    variable: 'LAINCLAW_LANG',
  },
  system: {
    kind: prose,
    about: 'instructions for the model, beside its own prompt',
    default: 'none',
    flag: '--system',
  },
  memory: {
    kind: onOff,
    about: 'memory of sessions for which nothing else was chosen',
    default: false,
    flag: '--memory',
  },
  mode: {
    kind: choice(MODES),
    about: 'what needs permission, and whether it is asked for',
    default: 'ask',
    flag: '--mode',
  },
  modelTitles: {
    kind: onOff,
    about: 'the model gives conversations of chat a title, after their first turn; their first words otherwise',
    default: true,
  },
  approve: {
    kind: choice(APPROVALS),
    about: 'the same as mode, by its older name',
    default: 'ask',
    flag: '--approve',
  },
  toolMaxSteps: {
    kind: count(1),
    about: 'model calls in one turn',
    default: '3 in ask, 25 in chat',
    flag: '--tool-max-steps',
  },
  historyTokens: {
    kind: amount,
    about: 'the most tokens of earlier conversation that a request holds',
    default: 64_000,
  },
  contextWindow: {
    kind: count(1_000),
    about: 'the most tokens, question and answer together, that a model is assumed to accept',
    default: "the model's own",
  },
  maxTokens: {
    kind: amount,
    about: 'ends a turn that has used this many tokens',
    default: 'none',
    flag: '--max-tokens',
  },
  maxCostUsd: { kind: amount, about: 'ends a turn that has cost this much', default: 'none', flag: '--max-cost-usd' },
  dailyMaxTokens: { kind: amount, about: 'the tokens of all turns of a day', default: 'none' },
  dailyMaxCostUsd: { kind: amount, about: 'the cost of all turns of a day', default: 'none' },
  sandbox: { kind: choice(SANDBOXES), about: 'how commands are run', default: 'auto' },
  dockerImage: { kind: text(), about: 'the image of the docker sandbox', default: 'none' },
  bashMemoryMb: {
    kind: count(64, 1_048_576),
    about: 'memory of all processes of a bash command together',
    default: 4096,
  },
  bashCpuSeconds: {
    kind: count(1, 86_400),
    about: 'processor time of each process of a bash command',
    default: 600,
  },
  bashNetwork: {
    kind: choice(NETWORKS),
    about: 'whether a bash command can ask for the hosts that it needs',
    default: 'ask',
  },
  bashOnTimeout: {
    kind: choice(ON_TIMEOUT),
    about: 'whether a bash command that takes longer than its timeout is ended or continues in the background',
    default: 'end',
  },
  codeMemoryMb: { kind: count(64, 1_048_576), about: 'the same for code_execute', default: 1024 },
  codeCpuSeconds: { kind: count(1, 86_400), about: 'the same for code_execute', default: 120 },
  codeNetwork: { kind: choice(NETWORKS), about: 'the same for code_execute', default: 'off' },
  privateHosts: {
    kind: list('a list of hosts: git.example.org, example.org:8080', /^(?:\*\.)?[\w.-]+(?::\d{1,5})?$/),
    about: 'hosts that a permitted command may reach although their addresses are not public',
    default: 'none',
  },
  webSearch: {
    kind: choice(SEARCH_SERVICES),
    about:
      'the service that web_search asks; its key is in BRAVE_API_KEY, TAVILY_API_KEY or EXA_API_KEY; model: the search of OpenAI, Anthropic or Gemini',
    default: 'none',
  },
  webSearchUrl: { kind: address, about: 'where that service is: needed for searxng', default: 'none' },
  transcriptionUrl: {
    kind: address,
    about:
      "the address of a server in OpenAI's protocol that transcribes voice messages; its key is in LAINCLAW_TRANSCRIPTION_KEY",
    default: 'none',
  },
  transcriptionModel: { kind: text(), about: 'the model of that server', default: 'whisper-1' },
  backgroundRuns: { kind: count(1, 1_000), about: 'sub-agents in the background at the same time', default: 4 },
  maxFileSizeBytes: { kind: amount, about: 'the largest file that file_write may leave', default: 1_048_576 },
  embeddingBaseUrl: {
    kind: address,
    about: "the address of a server of embeddings in OpenAI's protocol",
    default: 'none',
  },
  embeddingModel: { kind: text(), about: 'the model of that server', default: 'none' },
  embeddingThreads: {
    kind: count(1, 64),
    about: 'the threads of a local embedding model with an ONNX graph',
    default: 'half of the processors, at least 2, at most 4',
  },
  memoryChunkTokens: { kind: amount, about: 'the tokens of a chunk in the archive, about', default: 200 },
  memoryFacts: {
    kind: onOff,
    about: 'a model extracts facts from conversations with memory, once they rest',
    default: true,
  },
  memoryFactsModel: {
    kind: text(),
    about: 'the model that extracts facts, or provider/model; a small one will do',
    default: "the conversation's own",
  },
  memoryFactsAfterAsk: {
    kind: onOff,
    about: 'after the answer, ask leaves a short process behind that extracts facts of conversations that have rested',
    default: true,
  },
  memoryFactsDailyTokens: { kind: amount, about: 'the most tokens of a day for extracting facts', default: 200_000 },
  memoryFactsRestMinutes: {
    kind: count(0, 10_080),
    about: 'how long a conversation rests before its facts are extracted',
    default: 5,
  },
  notify: {
    kind: choice(NOTIFICATION_KINDS),
    about: 'how lainclaw chat notifies you when a turn ends or asks',
    default: 'bell',
  },
  notifyAfterSeconds: {
    kind: count(0, 86_400),
    about: 'how long nobody must have typed before a notification, in seconds',
    default: 10,
  },
  hooks: { kind: hooks, about: 'commands of yours that are run when something happens', default: 'none' },
  backups: {
    kind: count(0, 1_000),
    about: 'how many daily backups the gateway keeps; 0: it makes none',
    default: 7,
  },
  store: {
    kind: database,
    about: 'the PostgreSQL database that keeps the records; files of the home otherwise',
    default: 'the home',
    variable: 'LAINCLAW_STORE',
  },
  storeFileMegabytes: {
    kind: count(1, 64),
    about: 'outputs and attachments up to this size are kept in the database',
    default: 8,
    variable: 'LAINCLAW_STORE_FILE_MEGABYTES',
  },
  s3Bucket: {
    kind: text('the name of a bucket', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    about: 'the S3-compatible bucket for larger outputs and attachments, beside "store"',
    default: 'none',
    variable: 'LAINCLAW_S3_BUCKET',
  },
  s3Endpoint: {
    kind: address,
    about: 'the address of its store',
    default: 'the one of Amazon S3 in the region',
    variable: 'LAINCLAW_S3_ENDPOINT',
  },
  s3Region: {
    kind: text('the name of a region', /^[a-z0-9-]{1,40}$/),
    about: 'the region of the bucket',
    default: 'us-east-1',
    variable: 'LAINCLAW_S3_REGION',
  },
  s3Prefix: {
    kind: text('letters, digits and -_./', /^[\w-][\w.-]{0,80}(?:\/[\w-][\w.-]{0,80}){0,5}\/?$/),
    about: 'what the names of objects in the bucket begin with',
    default: 'lainclaw/',
    variable: 'LAINCLAW_S3_PREFIX',
  },
  s3PathStyle: {
    kind: onOff,
    about: 'the bucket is in the path of an address, not in its host',
    default: 'true with s3Endpoint, false without',
    variable: 'LAINCLAW_S3_PATH_STYLE',
  },
  auditMegabytes: { kind: count(32, 1_048_576), about: 'how much of the audit log is kept', default: 256 },
};

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

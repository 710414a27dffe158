// The owner's settings: <home>/config.json under environment variables. It is read from the home only: a workspace can
// never set a provider, an address or a key.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearest } from '../lib/nearest.ts';
import { newerVersionMessage } from '../lib/newer-version.ts';
import type { Environment } from './environment.ts';

export const LANGUAGES = ['en', 'zh', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

export const SANDBOXES = ['auto', 'bubblewrap', 'docker', 'none'] as const;

export interface Config {
  provider: string;
  profile?: string;
  model?: string;
  /** The provider that `model` and `profile` belong to; undefined where the owner named none beside them. */
  modelFor?: string;
  language: Language;
  workspace: string;
  /** Of the `openai-compatible` provider. */
  baseUrl?: string;
  /** Of a server that gives embeddings in OpenAI's protocol (Ollama: http://localhost:11434/v1), and its model. */
  embeddingBaseUrl?: string;
  embeddingModel?: string;
  /** Tokens of a chunk in the archive, about. */
  memoryChunkTokens?: number;
  /** The most tokens of earlier conversation that a request holds. */
  historyTokens?: number;
  /** Spending caps, per run and per day. */
  maxTokens?: number;
  maxCostUsd?: number;
  dailyMaxTokens?: number;
  dailyMaxCostUsd?: number;
  /** How commands are run; `auto` is the strongest there is. */
  sandbox: (typeof SANDBOXES)[number];
  /** For the docker sandbox. */
  dockerImage?: string;
  /** Sub-agents in the background at the same time. */
  backgroundRuns: number;
  /** Of what `file_write` may leave. */
  maxFileSizeBytes?: number;
  /** Tried in order when the provider in use fails: "provider" or "provider/model". */
  fallback: string[];
  /** Show which provider and profile answered, in front of the text. */
  debugSource: boolean;
}

/** A setting that cannot be used: names the place, the value and what is accepted. */
export class ConfigError extends Error {
  readonly code: 'CONFIG_INVALID' | 'STORAGE_NEWER_VERSION';

  constructor(message: string, cause?: unknown, code: ConfigError['code'] = 'CONFIG_INVALID') {
    super(message, { cause });
    this.name = 'ConfigError';
    this.code = code;
  }
}

/** Of config.json, which need not name it. */
const VERSION = 1;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'a non-empty text';

const amount = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? undefined : 'a number above 0';

const count = (value: unknown): string | undefined =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= 1_000
    ? undefined
    : 'a whole number from 1 to 1000';

const webAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\/[^\s]+$/.test(value) ? undefined : 'an http:// or https:// address';

const texts = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((item) => text(item) === undefined) ? undefined : 'a list of texts';

/** What config.json may hold: each key with its check, which returns what would have been accepted. */
const KEYS: Record<string, (value: unknown) => string | undefined> = {
  provider: text,
  profile: text,
  model: text,
  language: (value) => (LANGUAGES.includes(value as Language) ? undefined : LANGUAGES.join(', ')),
  baseUrl: webAddress,
  embeddingBaseUrl: webAddress,
  embeddingModel: text,
  memoryChunkTokens: amount,
  historyTokens: amount,
  maxTokens: amount,
  maxCostUsd: amount,
  dailyMaxTokens: amount,
  dailyMaxCostUsd: amount,
  fallback: texts,
  sandbox: (value) => (SANDBOXES.some((name) => name === value) ? undefined : SANDBOXES.join(', ')),
  dockerImage: text,
  maxFileSizeBytes: amount,
  backgroundRuns: count,
};

type ConfigFile = Partial<Omit<Config, 'workspace' | 'debugSource' | 'modelFor'>>;

export async function loadConfig({ home, cwd, variables }: Environment): Promise<Config> {
  const file = await readConfigFile(join(home, 'config.json'));
  const language = variables.LAINCLAW_LANG || file.language || 'en';
  if (!LANGUAGES.includes(language as Language)) {
    throw new ConfigError(`LAINCLAW_LANG is "${language}"; accepted: ${LANGUAGES.join(', ')}`);
  }
  const baseUrl = variables.LAINCLAW_BASE_URL || file.baseUrl;
  if (baseUrl !== undefined && webAddress(baseUrl)) {
    throw new ConfigError(`LAINCLAW_BASE_URL is "${baseUrl}"; accepted: ${webAddress(baseUrl)}`);
  }
  return {
    ...file,
    modelFor: file.provider,
    provider: variables.LAINCLAW_PROVIDER || file.provider || 'stub',
    language: language as Language,
    baseUrl,
    fallback: file.fallback ?? [],
    sandbox: file.sandbox ?? 'auto',
    backgroundRuns: file.backgroundRuns ?? 4,
    workspace: variables.LAINCLAW_WORKSPACE || cwd,
    debugSource: variables.LAINCLAW_DEBUG_SOURCE === '1',
  };
}

async function readConfigFile(path: string): Promise<ConfigFile> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ConfigError(`cannot read ${path}: ${message}`, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON: ${(error as Error).message}`, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(`${path} must hold a JSON object`);
  }
  const { version = VERSION, ...settings } = value as { version?: unknown };
  if (typeof version === 'number' && version > VERSION)
    throw new ConfigError(newerVersionMessage(path, version, VERSION), undefined, 'STORAGE_NEWER_VERSION');
  const problems = Object.entries(settings).flatMap(([key, setting]) => {
    const check = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (!check) return [`"${key}" is not a setting${suggestion(key)}`];
    const accepted = check(setting);
    return accepted ? [`"${key}" is ${JSON.stringify(setting)}; accepted: ${accepted}`] : [];
  });
  if (version !== VERSION) problems.push(`"version" is ${JSON.stringify(version)}; accepted: ${VERSION}`);
  if (problems.length > 0) throw new ConfigError(`${path}: ${problems.join('; ')}`);
  return settings as ConfigFile;
}

function suggestion(key: string): string {
  const close = nearest(key, Object.keys(KEYS));
  return close ? ` (did you mean "${close}"?)` : `; accepted: ${Object.keys(KEYS).join(', ')}`;
}

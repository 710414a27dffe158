// Which settings a model may change, once a person has approved the change, and what it is shown of the others. A setting that is
// not listed here is changed by a person only: it loosens the policy or a limit, runs programs, or decides where private text and
// keys are sent.
import type { SettingEntry } from './setting-entry.ts';
import type { SettingKey } from './settings.ts';

export const MODEL_MAY_SET: ReadonlySet<SettingKey> = new Set([
  'provider',
  'model',
  'profile',
  'effort',
  'fallback',
  'language',
  'memory',
  'modelTitles',
  'toolMaxSteps',
  'historyTokens',
  'contextWindow',
  'bashOnTimeout',
  'webSearch',
  'transcriptionModel',
  'backgroundRuns',
  'maxFileSizeBytes',
  'memoryChunkTokens',
  'memoryFacts',
  'memoryFactsModel',
  'memoryFactsAfterAsk',
  'memoryFactsRestMinutes',
  'notify',
  'notifyAfterSeconds',
]);

/** Their values may hold a password, a key or a private text. */
const NOT_SHOWN: ReadonlySet<SettingKey> = new Set(['hooks', 'store', 'system']);

const NOT_SHOWN_TEXT = '(set, not shown)';

export type ModelSetting = Pick<SettingEntry, 'key' | 'value' | 'source' | 'accepted' | 'about'> & {
  changedBy: 'you, after a person approved it' | 'a person only';
  /** What is set cannot be used. */
  isInvalid?: true;
};

/** Without anything that may be a secret: of an address only the server and the path. */
export function settingForModel({ key, value, source, accepted, about, problem }: SettingEntry): ModelSetting {
  const isUnsure = problem !== undefined || NOT_SHOWN.has(key);
  return {
    key,
    ...(value !== undefined && { value: isUnsure && source !== 'default' ? NOT_SHOWN_TEXT : withoutSecrets(value) }),
    source,
    ...(problem !== undefined && { isInvalid: true as const }),
    accepted,
    about,
    changedBy: MODEL_MAY_SET.has(key) ? 'you, after a person approved it' : 'a person only',
  };
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  const url = URL.parse(value);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : NOT_SHOWN_TEXT;
}

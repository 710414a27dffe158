// How a model's token vectors become one vector, as its files say: the Pooling module of sentence-transformers. A guess would
// give vectors that look right and find nothing, so what the files do not say has to be given.
import type { Pooling } from './pool.ts';

/** `unknown` says why, for the error. */
export type PoolingFound = { pooling: Pooling } | { unknown: string };

/** `json(path)` is a file of the model; undefined when it does not exist. */
export function poolingOf(json: (path: string) => unknown): PoolingFound {
  const modules = json('modules.json');
  const types = Array.isArray(modules) ? modules.map((module) => String((module as { type?: unknown })?.type)) : [];
  const other = types.find((type) => !/\.(Transformer|Pooling|Normalize)$/.test(type));
  if (other !== undefined) return { unknown: `modules.json names a layer that cannot be run (${other})` };
  const config = json('1_Pooling/config.json');
  if (typeof config !== 'object' || config === null) return { unknown: 'there is no 1_Pooling/config.json' };
  return fromConfig(config as Record<string, unknown>);
}

const BY_FLAG: Readonly<Record<string, Pooling>> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_mean_tokens: 'mean',
  // Divided by another number, which the length of 1 takes away again.
  pooling_mode_mean_sqrt_len_tokens: 'mean',
  pooling_mode_max_tokens: 'max',
  pooling_mode_lasttoken: 'last',
};
const BY_NAME: Readonly<Record<string, Pooling>> = {
  cls: 'cls',
  mean: 'mean',
  mean_sqrt_len_tokens: 'mean',
  max: 'max',
  lasttoken: 'last',
};

function fromConfig(config: Record<string, unknown>): PoolingFound {
  const flags = Object.keys(config).filter((key) => key.startsWith('pooling_mode_') && config[key] === true);
  const named = typeof config.pooling_mode === 'string' ? BY_NAME[config.pooling_mode] : undefined;
  const chosen = flags.length === 1 ? BY_FLAG[flags[0] ?? ''] : flags.length === 0 ? named : undefined;
  if (chosen !== undefined) return { pooling: chosen };
  const said = flags.length > 0 ? flags.join(' and ') : 'nothing';
  return { unknown: `1_Pooling/config.json says ${said}` };
}

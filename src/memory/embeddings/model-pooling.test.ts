import { expect, it } from 'vitest';
import { poolingOf } from './model-pooling.ts';

const MODULES = [
  { idx: 0, path: '', type: 'sentence_transformers.models.Transformer' },
  { idx: 1, path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
  { idx: 2, path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
];

const of = (pooling: unknown, modules?: unknown) =>
  poolingOf((path) => ({ '1_Pooling/config.json': pooling, 'modules.json': modules })[path]);

it.each([
  [{ pooling_mode_mean_tokens: true, pooling_mode_cls_token: false }, 'mean'],
  [{ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false, include_prompt: true }, 'cls'],
  [{ pooling_mode_max_tokens: true }, 'max'],
  [{ pooling_mode_lasttoken: true }, 'last'],
  [{ pooling_mode_mean_sqrt_len_tokens: true }, 'mean'],
  [{ embedding_dimension: 384, pooling_mode: 'cls' }, 'cls'],
  [{ pooling_mode: 'lasttoken' }, 'last'],
])('%j is %s pooling', (config, pooling) => {
  expect(of(config, MODULES)).toEqual({ pooling });
  expect(of(config)).toEqual({ pooling });
});

it.each([
  ['no file', undefined, undefined, 'no 1_Pooling/config.json'],
  ['nothing chosen', { pooling_mode_mean_tokens: false }, MODULES, 'says nothing'],
  ['two at once', { pooling_mode_mean_tokens: true, pooling_mode_cls_token: true }, MODULES, 'and pooling_mode_cls'],
  ['weights that we do not compute', { pooling_mode_weightedmean_tokens: true }, MODULES, 'weightedmean'],
  ['a name that we do not know', { pooling_mode: 'attention' }, MODULES, 'says nothing'],
  ['a layer after it', { pooling_mode_mean_tokens: true }, [...MODULES, { type: 'x.models.Dense' }], 'x.models.Dense'],
  ['a file of another kind', 'mean', MODULES, 'no 1_Pooling/config.json'],
])('%s is unknown', (_name, config, modules, said) => {
  expect(of(config, modules)).toEqual({ unknown: expect.stringContaining(said) });
});

import type { ModelDescription } from '../adapters/adapter.ts';
import type { RunDependencies, RunRequest } from './turn-context.ts';

/** What the model takes in, where only its server knows. */
export async function withWindow(
  model: ModelDescription,
  { profileId }: Pick<RunRequest, 'profileId'>,
  { adapter }: Pick<RunDependencies, 'adapter'>,
  signal: AbortSignal,
): Promise<ModelDescription> {
  if (!model.isWindowOpen || !adapter.lookUpWindow) return model;
  const asked = { model: model.model, profileId: profileId ?? model.profileId };
  return { ...model, contextWindow: await adapter.lookUpWindow(asked, signal) };
}

import { settingForModel } from '../../config/settings-for-model.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure, requireOwner, type Settings } from './settings.ts';

export function createConfigGetTool({ settings }: { settings: Settings }): ToolSpec {
  return defineTool({
    name: 'config_get',
    schema: {
      type: 'object',
      properties: { key: { type: 'string', minLength: 1 } },
      additionalProperties: false,
    },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 20_000,
    async execute({ key }, context) {
      requireOwner(context);
      const entries = key === undefined ? settings.list() : settings.get(key).then((entry) => [entry]);
      return { data: { settings: (await entries.catch(orToolFailure)).map(settingForModel) } };
    },
  });
}

import { isSettingKey } from '../../config/settings.ts';
import { MODEL_MAY_SET, settingForModel } from '../../config/settings-for-model.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';
import { orToolFailure, requireOwner, type Settings } from './settings.ts';

/** Changes a setting once a person has approved exactly this change. */
export function createConfigSetTool({ settings }: { settings: Settings }): ToolSpec {
  return defineTool({
    name: 'config_set',
    schema: {
      type: 'object',
      properties: { key: { type: 'string', minLength: 1 }, value: { type: 'string', minLength: 1 } },
      required: ['key', 'value'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    onlyInForeground: true,
    alwaysAsks: true,
    lasts: true,
    subject: noSubject,
    timeoutMs: 20_000,
    async preview({ key, value }, context) {
      requireMayChange(key, context);
      await settings.check(key, value).catch(orToolFailure);
      const before = settingForModel(await settings.get(key).catch(orToolFailure));
      const shown = 'value' in before ? JSON.stringify(before.value) : 'not set';
      return { summary: `Set ${key} in config.json`, text: `- ${key}: ${shown}\n+ ${key}: ${value}`, paths: [] };
    },
    async execute({ key, value }, context) {
      requireMayChange(key, context);
      const { entry, problems } = await settings.set(key, value).catch(orToolFailure);
      const notes = [
        ...(entry.source === 'environment' ? [`${entry.variable} is set and comes before config.json`] : []),
        // The problems themselves quote values, which may be secrets.
        ...(problems.length > 0 ? ['config.json has other problems: "lainclaw config list" shows them'] : []),
      ];
      return {
        data: { setting: settingForModel(entry), notes },
        text: [repliesIn(context).settingChanged(key), ...notes].join('\n'),
      };
    },
  });
}

/** Throws ToolFailure with the command by which a person makes the change. It does not repeat the value, which may be a secret. */
function requireMayChange(key: string, context: ToolContext): void {
  requireOwner(context);
  if (isSettingKey(key) && MODEL_MAY_SET.has(key)) return;
  const options = { reason: 'denied' as const };
  if (isSettingKey(key))
    throw new ToolFailure(`only a person changes "${key}": lainclaw config set ${key} <value>`, options);
  throw new ToolFailure(
    `"${key.slice(0, 60)}" is not a setting that you can change: config_get lists those. A person changes the gateway, its console and bots with ` +
      '"lainclaw gateway config set <key>=<value>", rules with "lainclaw permissions", and trusted folders with "lainclaw trust"',
    options,
  );
}

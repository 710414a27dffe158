// What a changed gateway.json means for a gateway that runs: what it takes up now, and what it needs a restart for.
import type { ResolvedBot, ResolvedGateway } from './resolve.ts';
import { BOT_SETTINGS, type BotSettings, SERVICE_SETTINGS, type ServiceSettings } from './settings.ts';

export interface SettingsChange {
  /** Paths of settings that hold from now on. */
  live: string[];
  /** Paths of settings that hold after a restart. */
  restart: string[];
}

export function compareGateways(before: ResolvedGateway, after: ResolvedGateway): SettingsChange {
  const change: SettingsChange = { live: [], restart: [] };
  for (const key of changedKeys(before.service, after.service)) change[isLive(key) ? 'live' : 'restart'].push(key);
  change.live.push(...changedKeys(before.jobs, after.jobs).map((key) => `jobs.${key}`));
  for (const bot of after.bots) {
    const old = sameBot(before, bot);
    const path = nameOf(bot);
    if (!old) {
      change.restart.push(path);
      continue;
    }
    for (const key of changedKeys(old.settings, bot.settings))
      change[BOT_SETTINGS[key as keyof BotSettings].isLive ? 'live' : 'restart'].push(`${path}.${key}`);
    change.restart.push(...changedKeys(old.own, bot.own).map((key) => `${path}.${key}`));
  }
  change.restart.push(...before.bots.filter((bot) => !sameBot(after, bot)).map(nameOf));
  return change;
}

/** The gateway that runs, with what it can take up of the new settings. */
export function takeUp(running: ResolvedGateway, after: ResolvedGateway): ResolvedGateway {
  const bots = running.bots.map((bot) => ({ ...bot, settings: sameBot(after, bot)?.settings ?? bot.settings }));
  const service = Object.fromEntries(Object.entries(after.service).filter(([key]) => isLive(key)));
  return {
    ...running,
    service: { ...running.service, ...service },
    jobs: after.jobs,
    bots,
    secrets: [...new Set([...running.secrets, ...after.secrets])],
  };
}

function isLive(key: string): boolean {
  return SERVICE_SETTINGS[key as keyof ServiceSettings].isLive === true;
}

function sameBot({ bots }: ResolvedGateway, { channel, account }: ResolvedBot): ResolvedBot | undefined {
  return bots.find((bot) => bot.channel === channel && bot.account === account);
}

function nameOf({ channel, account }: ResolvedBot): string {
  return `${channel}/${account}`;
}

function changedKeys(before: object, after: object): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (key) => JSON.stringify(old.get(key)) !== JSON.stringify(now.get(key)),
  );
}

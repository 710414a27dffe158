// Extracting facts from conversations: with which model, within which caps, and in the background of a process that stays.
import { createWallTime, wallDay } from '../memory/time/wall-clock.ts';
import type { ChosenModel, ExtractDueOptions, ExtractReport } from '../pipeline/extract-due.ts';
import type { FactsOffCode } from '../vocabulary/fact.ts';
import { type AskedProvider, askedProvider } from './asked-turn.ts';
import type { Base } from './base.ts';
import { createForgettings } from './forgettings.ts';
import type { WorkspaceProviders } from './providers.ts';
import type { Services } from './services.ts';
import { restOf } from './wait-for-facts.ts';

/** Why no facts are extracted: the code for programs, the text for a person at a terminal. */
export interface FactsOff {
  code: FactsOffCode;
  text: string;
}

export interface FactExtraction {
  /** Undefined when facts are extracted here. */
  off(): Promise<FactsOff | undefined>;
  extract(options: ExtractDueOptions): Promise<ExtractReport>;
  /** True when a conversation has rested and its facts are to be extracted. */
  isDue(): Promise<boolean>;
  /** Extracts in the background while no turn runs. Resolves when the signal has fired and nothing is left running. */
  watch(options: { signal: AbortSignal; log(text: string): void }): Promise<void>;
}

const DAILY_TOKENS = 200_000;
/** A process that starts has other things to do first. */
const FIRST_LOOK_MS = 2_000;
/** Others may have left something that waits. */
const LOOK_EVERY_MS = 60_000;
const NO_MODEL: FactsOff = { code: 'no-model', text: 'no model is connected: "lainclaw setup" connects one' };
const SWITCHED_OFF: FactsOff = {
  code: 'switched-off',
  text: 'switched off: "lainclaw config set memoryFacts on" extracts them',
};

export interface FactExtractionDependencies {
  services: Pick<Services, 'memory'>;
  providers: WorkspaceProviders;
  defaultProvider(): Promise<string>;
  providerOf(profileId: string): Promise<string | undefined>;
}

export function createFactExtraction(base: Base, dependencies: FactExtractionDependencies): FactExtraction {
  const { config, storage, sessions, budget, hub, onTurns, now } = base;
  const { services, providers, defaultProvider, providerOf } = dependencies;
  const restMs = restOf(config);
  const sources = { config, chooseModel: providers.choose, providerOf, defaultProvider };

  /** The configured one; otherwise the one that answered, unless that was none. */
  async function modelFor(answered: Partial<AskedProvider>): Promise<AskedProvider> {
    if (config.memoryFactsModel !== undefined) return askedProvider({ model: config.memoryFactsModel }, sources);
    const { provider, model, profileId } = answered;
    const isModel = provider !== undefined && (await providers.get(provider).catch(() => undefined))?.callsTools;
    return isModel ? { provider, model, profileId } : askedProvider({}, sources);
  }

  async function choose(answered: Partial<AskedProvider>): Promise<ChosenModel | { off: FactsOff }> {
    const { provider, model, profileId } = await modelFor(answered);
    const adapter = await providers.get(provider);
    if (!adapter) return { off: unknownProvider(provider) };
    if (!adapter.callsTools) return { off: NO_MODEL };
    return { adapter, ...(await adapter.describe({ model, profileId })) };
  }

  async function extract(options: ExtractDueOptions): Promise<ExtractReport> {
    const [{ extractDue }, { facts }] = await Promise.all([import('../pipeline/extract-due.ts'), services.memory()]);
    const time = createWallTime(base.systemTimezone);
    return extractDue(
      {
        facts,
        sessions,
        locks: storage.locks,
        choose: async (answered) => {
          const chosen = await choose(answered);
          return 'off' in chosen ? { unavailable: chosen.off.text } : chosen;
        },
        budget,
        caps: config,
        dailyTokens: config.memoryFactsDailyTokens ?? DAILY_TOKENS,
        restMs,
        forgettings: createForgettings(storage.ownerFiles).runs,
        dayOf: (moment) => wallDay(moment, time),
        now,
      },
      options,
    );
  }

  const isIdle = (): boolean => hub.isIdle;

  /** A server on this machine answers one question at a time: a turn that starts meanwhile comes first. */
  async function extractWhileIdle(signal: AbortSignal, log: (text: string) => void): Promise<void> {
    const interrupted = new AbortController();
    let isLocal = false;
    const stopListening = onTurns(() => {
      if (isLocal && !isIdle()) interrupted.abort();
    });
    try {
      const onModel = ({ adapter }: ChosenModel): void => {
        isLocal = findProvider(adapter.provider)?.local !== undefined;
      };
      const { findProvider } = await import('../adapters/providers/all.ts');
      const { stopped } = await extract({ signal: AbortSignal.any([signal, interrupted.signal]), onModel });
      if (stopped !== undefined) log(`facts: ${stopped}`);
    } catch (error) {
      if (!interrupted.signal.aborted && !signal.aborted) log(`facts: ${(error as Error).message}`);
    } finally {
      stopListening();
    }
  }

  /** Resolves when a turn has started or ended, or the time is over. */
  async function untilChange(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    // A gateway does this with every turn: a plain timer costs a fraction of one that a signal ends.
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const stopListening = onTurns(resolve);
    const end = (): void => resolve();
    signal.addEventListener('abort', end);
    const timer = setTimeout(end, milliseconds);
    timer.unref();
    await changed;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    stopListening();
  }

  /** Returns how long nothing will be due. */
  async function lookOnce(signal: AbortSignal, log: (text: string) => void): Promise<number> {
    const { facts } = await services.memory();
    const due = await facts.nextDue(restMs);
    if (due === undefined) return LOOK_EVERY_MS;
    if (due > now()) return Math.min(LOOK_EVERY_MS, due - now());
    await extractWhileIdle(signal, log);
    return LOOK_EVERY_MS;
  }

  return {
    async off() {
      if (config.memoryFacts === false) return SWITCHED_OFF;
      const chosen = await choose({});
      return 'off' in chosen ? chosen.off : undefined;
    },
    extract,
    async isDue() {
      if (config.memoryFacts === false) return false;
      const due = await (await services.memory()).facts.nextDue(restMs);
      return due !== undefined && due <= now();
    },
    async watch({ signal, log }) {
      if (config.memoryFacts === false) return;
      let said: string | undefined;
      const once = (text: string): void => {
        if (text !== said) log(text);
        said = text;
      };
      await untilChange(FIRST_LOOK_MS, signal);
      while (!signal.aborted) {
        const wait = isIdle() ? await lookOnce(signal, once) : LOOK_EVERY_MS;
        await untilChange(wait, signal);
      }
    },
  };
}

function unknownProvider(name: string): FactsOff {
  return { code: 'unknown-provider', text: `there is no provider "${name}": "memoryFactsModel" names another` };
}

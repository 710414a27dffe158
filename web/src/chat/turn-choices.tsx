// The model and the mode of the next turn.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { type TextKey, t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../router.ts';
import { isOwner } from '../state/me.ts';

const MODES = ['ask', 'accept-edits', 'plan', 'auto'] as const;
export type Mode = (typeof MODES)[number];

const MODE_NAMES: Record<Mode, TextKey> = {
  ask: 'mode.ask',
  'accept-edits': 'mode.edits',
  plan: 'mode.plan',
  auto: 'mode.auto',
};

export const chosenMode = signal<Mode>('ask');
/** `provider/model`; empty: the usual one. */
export const chosenModel = signal('');
/** As it was loaded last: finding models takes a moment, and every conversation has these choices. */
const connected = signal<{ present: Output<'setup.detect'>['present']; models: readonly ListedModel[] } | undefined>(
  undefined,
);
type ListedModel = Output<'models.list'>[number]['models'][number];
/** Known once the choices are loaded. */
export const isModelMissing = signal(false);

/** The mode and the model are the owner's choice. */
export function TurnChoices() {
  return isOwner.value ? <Choices /> : null;
}

function Choices() {
  useLoaded(async (abort) => {
    const { present } = await call('setup.detect', {}, abort);
    isModelMissing.value = !present.isConnected;
    if (!present.isConnected) return;
    const [listed] = await call('models.list', { provider: present.provider }, abort).catch(() => []);
    connected.value = { present, models: listed?.models ?? [] };
  }, []);
  const { present, models = [] } = connected.value ?? {};
  const usual = present?.model ?? models.find(({ isDefault }) => isDefault)?.id ?? present?.provider ?? '';
  return (
    <>
      <select
        class="small-select"
        aria-label={t('chat.mode')}
        value={chosenMode.value}
        onChange={(event) => {
          chosenMode.value = event.currentTarget.value as Mode;
        }}
      >
        {MODES.map((mode) => (
          <option key={mode} value={mode}>
            {t(MODE_NAMES[mode])}
          </option>
        ))}
      </select>
      {isModelMissing.value ? <ConnectModel /> : <Models usual={usual} provider={present?.provider} models={models} />}
    </>
  );
}

/** Without a model only the offline answers work. */
export function ConnectModel() {
  return (
    <a class="button small" href={hrefOf('setup')}>
      <Icon name="plug" /> {t('home.setUp')}
    </a>
  );
}

interface ModelsProps {
  usual: string;
  provider: string | undefined;
  models: readonly { id: string }[];
}

function Models({ usual, provider, models }: ModelsProps) {
  return (
    <select
      class="small-select"
      aria-label={t('chat.model')}
      value={chosenModel.value}
      onChange={(event) => {
        chosenModel.value = event.currentTarget.value;
      }}
    >
      <option value="">{usual === '' ? t('chat.usualModel') : usual}</option>
      {models
        .filter(({ id }) => id !== usual)
        .map(({ id }) => (
          <option key={id} value={`${provider}/${id}`}>
            {id}
          </option>
        ))}
    </select>
  );
}

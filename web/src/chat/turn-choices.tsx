// The model and the mode of the next turn.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { type TextKey, t } from '../language/language.ts';
import { useLoaded } from '../parts/use-loaded.ts';
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

/** The mode and the model are the owner's choice. */
export function TurnChoices() {
  return isOwner.value ? <Choices /> : null;
}

function Choices() {
  const setup = useLoaded(async (abort) => {
    const { present } = await call('setup.detect', {}, abort);
    const [listed] = await call('models.list', { provider: present.provider }, abort).catch(() => []);
    return { present, models: listed?.models ?? [] };
  }, []);
  const { present, models = [] } = setup.value ?? {};
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
            <option key={id} value={`${present?.provider}/${id}`}>
              {id}
            </option>
          ))}
      </select>
    </>
  );
}

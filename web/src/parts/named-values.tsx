// Rows of a name and a value, whose values are hidden as they are typed, except where they are not secret.
import { t } from '../language/language.ts';
import { Icon } from './icon.tsx';

export interface NamedValue {
  name: string;
  value: string;
}

interface NamedValuesProps {
  title: string;
  /** What adds a row. */
  add: string;
  rows: readonly NamedValue[];
  /** True for a value that is not secret. */
  mayBeShown(value: string): boolean;
  onChange(rows: readonly NamedValue[]): void;
}

export function NamedValues({ title, add, rows, mayBeShown, onChange }: NamedValuesProps) {
  const change = (index: number, more: Partial<NamedValue>): void =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...more } : row)));
  return (
    <fieldset class="named-values">
      <legend>{title}</legend>
      {rows.map(({ name, value }, index) => (
        <div key={index} class="row">
          <input
            value={name}
            required={value !== ''}
            placeholder={t('values.name')}
            aria-label={t('values.name')}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => change(index, { name: event.currentTarget.value })}
          />
          <input
            type={(mayBeShown(value) ? 'text' : 'password') as 'text'}
            value={value}
            required={name !== ''}
            placeholder={t('values.value')}
            aria-label={name === '' ? t('values.value') : t('values.valueOf', { name })}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => change(index, { value: event.currentTarget.value })}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={t('delete.of', { title: name === '' ? String(index + 1) : name })}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      <button type="button" class="button small" onClick={() => onChange([...rows, { name: '', value: '' }])}>
        <Icon name="plus" /> {add}
      </button>
    </fieldset>
  );
}

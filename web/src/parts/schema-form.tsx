// A form made from a JSON Schema of an object: texts, numbers, days, yes or no, one choice or several, lists of texts. What is more
// than that is typed as JSON.
import { useId } from 'preact/hooks';
import { t } from '../language/language.ts';

export type FieldSchema = Readonly<Record<string, unknown>>;
export interface ObjectSchema {
  properties?: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[];
}
/** What was typed, by field; a field that was left alone is absent. Several choices and texts are lines. */
export type Written = Readonly<Record<string, string | boolean>>;

export function SchemaForm(props: { schema: ObjectSchema; written: Written; onChange(written: Written): void }) {
  const { properties = {}, required = [] } = props.schema;
  return (
    <div class="fields">
      {Object.entries(properties).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          field={field}
          isRequired={required.includes(name)}
          value={props.written[name]}
          onChange={(value) => props.onChange({ ...props.written, [name]: value })}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  name: string;
  field: FieldSchema;
  isRequired: boolean;
  value: string | boolean | undefined;
  onChange(value: string | boolean): void;
}

function Field({ name, field, isRequired, value, onChange }: FieldProps) {
  const id = useId();
  const label = typeof field.title === 'string' ? field.title : name;
  const about = typeof field.description === 'string' ? field.description : undefined;
  if (field.type === 'boolean')
    return (
      <label class="field check">
        <input
          type="checkbox"
          checked={value === undefined ? field.default === true : value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{label}</span>
        {about !== undefined && <small class="quiet">{about}</small>}
      </label>
    );
  const written = typeof value === 'string' ? value : defaultText(field);
  if (itemChoicesOf(field))
    return <Choices label={label} about={about} field={field} written={written} onChange={onChange} />;
  const shared = { id, 'aria-describedby': about === undefined ? undefined : `${id}-about`, required: isRequired };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!isRequired && <span class="quiet"> · {t('optional')}</span>}
      </label>
      {choicesOf(field) ? (
        <select {...shared} value={written} onChange={(event) => onChange(event.currentTarget.value)}>
          {(!isRequired || written === '') && <option value="" />}
          {choicesOf(field)?.map(([choice, shown]) => (
            <option key={choice} value={choice}>
              {shown}
            </option>
          ))}
        </select>
      ) : isLong(name, field) ? (
        <textarea {...shared} rows={3} value={written} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...shared}
          type={inputType(field) as 'text'}
          step={field.type === 'integer' ? 1 : 'any'}
          value={written}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {suggestionsOf(field).length > 0 && (
        <div class="row wrap">
          {suggestionsOf(field).map((each) => (
            <button
              key={each}
              type="button"
              class="button small"
              aria-pressed={written === each}
              onClick={() => onChange(each)}
            >
              {each}
            </button>
          ))}
        </div>
      )}
      {about !== undefined && (
        <small class="quiet" id={`${id}-about`}>
          {about}
        </small>
      )}
    </div>
  );
}

interface ChoicesProps {
  label: string;
  about: string | undefined;
  field: FieldSchema;
  written: string;
  onChange(value: string): void;
}

/** Any number of them. */
function Choices({ label, about, field, written, onChange }: ChoicesProps) {
  const chosen = linesOf(written);
  const choices = itemChoicesOf(field) ?? [];
  return (
    <fieldset class="field choices">
      <legend>{label}</legend>
      {choices.map(([choice, shown]) => (
        <label key={choice} class="field check">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ currentTarget: { checked } }) => {
              const isChosen = (each: string): boolean => (each === choice ? checked : chosen.includes(each));
              onChange(choices.flatMap(([each]) => (isChosen(each) ? [each] : [])).join('\n'));
            }}
          />
          <span>{shown}</span>
        </label>
      ))}
      {about !== undefined && <small class="quiet">{about}</small>}
    </fieldset>
  );
}

/** The values that the schema wants, from what was typed: the gateway fills in defaults. Throws SyntaxError for JSON that cannot be read. */
export function valuesOf({ properties = {}, required = [] }: ObjectSchema, written: Written): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    // A box that is not ticked is an answer.
    const isAnswer = field.type === 'boolean' && required.includes(name);
    const value = written[name] ?? (isAnswer ? field.default === true : undefined);
    if (value === undefined || (value === '' && !required.includes(name))) continue;
    values[name] = typeof value === 'boolean' ? value : fieldValue(field, value);
  }
  return values;
}

function fieldValue(field: FieldSchema, text: string): unknown {
  if (isNumber(field)) return Number(text);
  if (isLines(field)) return linesOf(text);
  if (field.type === 'string' || choicesOf(field)) return text;
  return JSON.parse(text);
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Of a list whose items are chosen. */
function itemChoicesOf({ type, items }: FieldSchema): [string, string][] | undefined {
  if (type !== 'array' || typeof items !== 'object' || items === null) return undefined;
  const { anyOf, ...item } = items as FieldSchema;
  return choicesOf({ ...(anyOf !== undefined && { oneOf: anyOf }), ...item });
}

function choicesOf({ enum: values, enumNames, oneOf }: FieldSchema): [string, string][] | undefined {
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : values;
    return values.map((value, index) => [String(value), String(names[index] ?? value)]);
  }
  if (!Array.isArray(oneOf)) return undefined;
  const named = oneOf.filter((each: FieldSchema) => 'const' in each);
  return named.length === 0 ? undefined : named.map((each) => [String(each.const), String(each.title ?? each.const)]);
}

/** Answers that fit; another one may fit too. */
function suggestionsOf({ type, examples }: FieldSchema): string[] {
  return type === 'string' && Array.isArray(examples) ? examples.map(String) : [];
}

function isNumber({ type }: FieldSchema): boolean {
  return type === 'number' || type === 'integer';
}

/** A list that is written as lines: of texts, or of chosen items. */
function isLines(field: FieldSchema): boolean {
  const { type, items } = field;
  if (itemChoicesOf(field)) return true;
  return type === 'array' && typeof items === 'object' && items !== null && (items as FieldSchema).type === 'string';
}

const INPUT_TYPES: Readonly<Record<string, string>> = { date: 'date', email: 'email', uri: 'url' };

function inputType(field: FieldSchema): string {
  return isNumber(field) ? 'number' : (INPUT_TYPES[String(field.format)] ?? 'text');
}

function isLong(name: string, field: FieldSchema): boolean {
  return (field.type !== 'string' && !isNumber(field)) || /content|text|message|command|code|patch/i.test(name);
}

function defaultText(field: FieldSchema): string {
  const { default: value } = field;
  if (value === undefined) return '';
  if (Array.isArray(value) && isLines(field)) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

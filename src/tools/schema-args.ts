// The arguments that a JSON Schema describes, as a type. Types only: nothing of this exists when the program runs.
import type { JsonSchema } from './json-schema.ts';

/** What a tool receives: a parameter is optional unless it is required or has a default. */
export type ArgsOf<Schema extends JsonSchema> = Flat<ObjectOf<Schema>>;

/** The values that one schema accepts; `unknown` where this mapping does not understand it. */
export type ValueOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Option)[] }
      ? ValueOf<Option>
      : Schema extends { readonly oneOf: readonly (infer Option)[] }
        ? ValueOf<Option>
        : Schema extends { readonly type: infer Type }
          ? TypedValue<Type extends readonly (infer One)[] ? One : Type, Schema>
          : unknown;

type TypedValue<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? readonly (Schema extends { readonly items: infer Items } ? ValueOf<Items> : unknown)[]
          : Type extends 'object'
            ? Flat<ObjectOf<Schema>>
            : unknown;

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? { readonly [Name in GivenNames<Schema, Properties>]: ValueOf<Properties[Name]> } & {
      readonly [Name in Exclude<keyof Properties, GivenNames<Schema, Properties>>]?: ValueOf<Properties[Name]>;
    } & (Schema extends { readonly additionalProperties: false } ? unknown : Others)
  : Schema extends { readonly additionalProperties: infer Values extends object }
    ? { readonly [name: string]: ValueOf<Values> }
    : Others;

interface Others {
  readonly [name: string]: unknown;
}

/** The names that are there whatever the caller gave: required ones, and those with a default. */
type GivenNames<Schema, Properties> = {
  [Name in keyof Properties]: Schema extends { readonly required: readonly (infer Required)[] }
    ? Name extends Required
      ? Name
      : NameWithDefault<Properties, Name>
    : NameWithDefault<Properties, Name>;
}[keyof Properties];

type NameWithDefault<Properties, Name extends keyof Properties> = Properties[Name] extends { readonly default: unknown }
  ? Name
  : never;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

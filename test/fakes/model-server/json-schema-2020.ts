import { Compile, Meta } from 'typebox/schema';

const metaSchema = Compile(Meta['https://json-schema.org/draft/2020-12/schema']);

/** Why this is not a schema of JSON Schema 2020-12; undefined when it is one. */
export function whyInvalid(schema: object): string | undefined {
  if (metaSchema.Check(schema)) return undefined;
  const [, [first]] = metaSchema.Errors(schema);
  return `${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}.`;
}

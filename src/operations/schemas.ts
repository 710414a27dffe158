// Pieces of schemas that operations share. Written as constants, so that their types are the types of the values.

export const TEXT = { type: 'string' } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
export const POSITIVE = { type: 'integer', minimum: 1 } as const;
export const YES_OR_NO = { type: 'boolean' } as const;
/** ISO 8601. */
export const TIME = { type: 'string', description: 'ISO 8601' } as const;

export const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false } as const;

/** A list of things of one schema. */
export function listOf<const Items>(items: Items): { readonly type: 'array'; readonly items: Items } {
  return { type: 'array', items };
}

/** Texts by names that the schema does not know. */
export function textsByName<const Description extends string>(description: Description) {
  return { type: 'object', additionalProperties: TEXT, description } as const;
}

/** An object whose named properties are always there; the others may be. */
export function objectWith<
  const Required extends Record<string, unknown>,
  const Optional extends Record<string, unknown> = Record<never, never>,
>(required: Required, optional?: Optional) {
  return {
    type: 'object',
    properties: { ...required, ...optional } as Required & Optional,
    required: Object.keys(required) as unknown as readonly (keyof Required)[],
    additionalProperties: false,
  } as const;
}

/** Which sentence it is, for those who word it in another language. */
export const WORDED = objectWith({
  code: TEXT,
  values: { type: 'object', additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
});

/** Reasons of policy by their codes and values. */
export const REASON_PARTS = {
  ...listOf({
    anyOf: [objectWith({ ...WORDED.properties, leads: YES_OR_NO }), objectWith({ text: TEXT })],
  }),
  description: 'for those who word it in another language; `leads`: the next ones say why',
} as const;

/** Of a question, or of a message to a turn. */
export const ATTACHMENT = {
  anyOf: [
    objectWith({ kind: { const: 'text' }, name: TEXT, text: TEXT }),
    objectWith({ kind: { const: 'image' }, name: TEXT, mimeType: TEXT, data: { ...TEXT, description: 'base64' } }),
  ],
} as const;

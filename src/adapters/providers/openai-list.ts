/** The entries of a list of models as OpenAI gives it; undefined when it is another answer. */
export function entriesOf(body: unknown): { id: string; owned_by?: unknown }[] | undefined {
  const { data } = (body ?? {}) as { data?: { id?: unknown; owned_by?: unknown }[] };
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((entry) => (typeof entry?.id === 'string' ? [{ ...entry, id: entry.id }] : []));
}

/** For a server that names itself as the owner of its models: other programs use the same port. */
export function ownedBy(owner: RegExp): (body: unknown) => { id: string }[] | undefined {
  return (body) => {
    const entries = entriesOf(body);
    const isIt = entries?.some((entry) => owner.test(String(entry.owned_by)));
    return isIt ? entries?.map(({ id }) => ({ id })) : undefined;
  };
}

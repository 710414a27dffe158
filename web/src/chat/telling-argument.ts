/** The argument that says most about a call, by the name it usually has. */
const TELLING = ['command', 'path', 'query', 'pattern', 'url', 'name', 'task', 'message', 'title', 'key', 'id'];

export function tellingArgument(args: Readonly<Record<string, unknown>>): string {
  const name = TELLING.find((each) => typeof args[each] === 'string') ?? Object.keys(args)[0];
  const value = name === undefined ? '' : args[name];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').split('\n')[0]?.slice(0, 120) ?? '';
}

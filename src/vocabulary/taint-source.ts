// Where content from outside came from, as it is kept with results and turns: `<kind>:<name>`. An unknown kind is shown as it is.

export type TaintSource = string;

/** Where nothing says more. */
export const EARLIER_TURN: TaintSource = 'earlier';

type Kind =
  | 'mcp'
  | 'skill'
  | 'installed-skill'
  | 'file'
  | 'folder'
  | 'unpacked'
  | 'unknown-files'
  | 'message'
  | 'memory'
  | 'agent'
  | 'tool'
  | 'host'
  | 'page';

export function taintSource(kind: Kind, name = ''): TaintSource {
  return name === '' ? kind : `${kind}:${name}`;
}

/** For people: "the MCP server \"files\"". */
export function describeTaint(source: TaintSource): string {
  const [kind, name] = partsOf(source);
  switch (kind) {
    case 'mcp':
      return `the MCP server "${name}"`;
    case 'skill':
      return `the skill "${name}" of the workspace`;
    case 'installed-skill':
      return `the installed skill "${name}"`;
    case 'page':
      return `the page ${name}`;
    case 'file':
      return name === '' ? 'a file that somebody else wrote' : `the file ${name}`;
    case 'folder':
      return `the folder ${name}, which was cloned and which you have not trusted`;
    case 'unpacked':
      return `what ${name} unpacked`;
    case 'unknown-files':
      return 'files of the workspace: which of them hold such content cannot be read from tainted-files.json of the home';
    case 'message':
      return name === '' ? 'a message or file from somebody else' : name;
    case 'memory':
      return 'a memory of an earlier conversation with such content';
    case 'agent':
      return `the sub-agent "${name}"`;
    case 'host':
      return `what ${name} answered`;
    case 'tool':
      return `a result of ${name}`;
    default:
      return source === EARLIER_TURN ? 'an earlier turn' : source;
  }
}

/** What makes content of this source count as the person's own, where there is such a thing. */
export function trustAdvice(source: TaintSource): string | undefined {
  const [kind, name] = partsOf(source);
  if (kind === 'mcp') return `"lainclaw mcp trust ${name}" if you trust that server`;
  if (kind === 'folder') return `"lainclaw trust add ${name}" if the folder is your own`;
  if (kind === 'file' && name !== '')
    return `"lainclaw trust approve ${name}" once you have read it, where a conversation wrote it`;
  if (kind === 'skill' || kind === 'agent') return '"lainclaw trust add <folder>" if the folder it is in is your own';
  return undefined;
}

function partsOf(source: TaintSource): [kind: string, name: string] {
  const at = source.indexOf(':');
  return at < 0 ? [source, ''] : [source.slice(0, at), source.slice(at + 1)];
}

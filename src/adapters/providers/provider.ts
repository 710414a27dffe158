// The contract of a provider: one row that says what it is called, which protocol it speaks, where it is, how a person
// signs in and which models it has. Adding a provider is one file in this folder and one line in `all.ts`.
import type { Effort } from '../../config/effort.ts';
import type { Echoes } from '../pi/echoes.ts';
import type { ApiName, ModelTable } from '../pi/model-table.ts';
import type { WebSearchKind } from '../pi/web-search.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface Provider {
  name: string;
  /** As people know it. */
  label: string;
  /** The contract's `route` of a turn it answers; the name when absent. */
  route?: string;
  api: ApiName;
  /** `optional-key`: a server may want a key. `none`: a server on this machine that wants none. */
  signIn: 'chatgpt' | 'api-key' | 'optional-key' | 'none';
  /** The variables that may hold a key; the first one that is set is used. */
  keyVariables?: readonly string[];
  /** The page where a person gets a key. */
  keyPage?: string;
  /** A function where a variable of the server's own decides. */
  baseUrl: string | ((variables: Variables) => string);
  /** LAINCLAW_<NAME>_BASE_URL when absent. */
  baseUrlVariable?: string;
  /** The library's table of models. Absent: the server is asked what it has. */
  models?: () => Promise<ModelTable>;
  /** The model when none is named. Absent: the first of the server's list that can chat. */
  model?: string;
  /** The effort when none is named: the service's own default. */
  effort?: Effort;
  /** The library's name of the service, where it is not ours: the library adapts requests by it. */
  libraryName?: string;
  /** A path below the base URL that needs a valid key and costs nothing; `ask` when there is none. */
  keyCheck?: string;
  /** Extra abilities of the protocol that the library does not know. */
  compat?: object;
  /** Makes what a service wants back with the next request, where the library drops it. */
  createEchoes?: () => Echoes;
  /** Its own search of the web, in the words of its protocol. Absent: it has none, or none that is known. */
  webSearch?: WebSearchKind;
  /** How a server of this kind is found on this machine. */
  local?: LocalServer;
  /** Where it says how many tokens a model can take in; absent: in its list of models, if anywhere. */
  windowQuestion?: WindowQuestion;
}

export interface WindowQuestion {
  path(baseUrl: string): string;
  /** What the answer says of this model; undefined when it says nothing. May throw on an answer of another program. */
  windowIn(body: unknown, model: string): number | undefined;
}

export interface LocalServer {
  /** Without a path. */
  address(variables: Variables): string;
  /** Where it lists its models. */
  path: string;
  /** The models that the answer lists, or undefined when another program answered. */
  modelsIn(body: unknown): { id: string; sizeBytes?: number }[] | undefined;
  /** What to run where it is there and has no model. */
  getModel: string;
}

export function routeOf({ route, name }: Provider): string {
  return route ?? name;
}

export function baseUrlVariableOf({ name, baseUrlVariable }: Provider): string {
  return baseUrlVariable ?? `LAINCLAW_${name.replaceAll('-', '_').toUpperCase()}_BASE_URL`;
}

/** The address without the owner's settings. */
export function defaultBaseUrl({ baseUrl }: Provider, variables: Variables): string {
  return typeof baseUrl === 'string' ? baseUrl : baseUrl(variables);
}

/** The first variable that holds a key. */
export function keyInEnvironment(
  { keyVariables = [] }: Provider,
  variables: Variables,
): { variable: string; key: string } | undefined {
  for (const variable of keyVariables) {
    const key = variables[variable]?.trim();
    if (key) return { variable, key };
  }
  return undefined;
}

export function loginCommand({ name, signIn }: Provider, baseUrl = '<its address>'): string {
  if (signIn === 'chatgpt' || signIn === 'none') return `lainclaw auth login ${name}`;
  const server = signIn === 'optional-key' ? ` --base-url ${baseUrl}` : '';
  return `lainclaw auth login ${name} --api-key-stdin${server}`;
}

/** How to get a credential for it, as the end of a sentence. */
export function signInAdvice(provider: Provider, baseUrl?: string): string {
  const command = loginCommand(provider, baseUrl);
  const [variable] = provider.keyVariables ?? [];
  return variable ? `${command} (or set ${variable})` : command;
}

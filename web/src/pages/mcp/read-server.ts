// What a person pastes to add a server, as it is written in the server's own instructions: a command line, an address, the
// command that adds it to another program, or JSON with "mcpServers" (also "servers", or one server alone).
import type { NamedValue } from '../../parts/named-values.tsx';
import { joinLine, type LineProblem, splitLine } from './command-line.ts';

/** A server as the form has it. */
export interface ServerDraft {
  name: string;
  /** A command line, or an address. */
  line: string;
  cwd: string;
  env: readonly NamedValue[];
  headers: readonly NamedValue[];
}

export const NO_SERVER: ServerDraft = { name: '', line: '', cwd: '', env: [], headers: [] };

export interface ServerInput {
  name: string;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
}

/** The servers that a text names; empty where it names none. Only one of them where it is a command line. */
export function readServers(text: string): readonly ServerDraft[] {
  const pasted = text
    .trim()
    .replace(/^```\w*\n([\s\S]*?)\n?```$/, '$1')
    .trim();
  if (looksLikeJson(pasted)) return serversOfJson(pasted) ?? [];
  return serverOfLine(pasted);
}

/** Servers of JSON; undefined where the text is not such JSON. */
export function serversOfJson(text: string): readonly ServerDraft[] | undefined {
  if (!looksLikeJson(text)) return undefined;
  const value = parsed(text) ?? parsed(`{${text.trim().replace(/,$/, '')}}`);
  const servers = value && serversIn(value);
  return servers && servers.length > 0 ? servers : undefined;
}

function looksLikeJson(text: string): boolean {
  return /^\s*(\{|"[^"]*"\s*:)/.test(text);
}

export function isAddress(line: string): boolean {
  return /^https?:\/\/\S+$/.test(line.trim());
}

/** A draft whose line was typed or pasted: what it names comes into the fields. Several servers become several drafts. */
export function withLine(draft: ServerDraft, line: string, found: readonly ServerDraft[]): readonly ServerDraft[] {
  const [server, ...more] = found;
  if (more.length > 0) return found;
  // A name that was only suggested follows the line.
  const isNamed = draft.name.trim() !== '' && draft.name !== suggestedName(draft.line);
  const name = isNamed ? draft.name : (server?.name ?? suggestedName(line));
  if (!server) return [{ ...draft, name, line }];
  const { cwd, env, headers } = server;
  return [
    {
      name,
      line: server.line,
      cwd: cwd === '' ? draft.cwd : cwd,
      env: merged(draft.env, env),
      headers: merged(draft.headers, headers),
    },
  ];
}

/** What is sent of a draft, or why its line cannot be used. */
export function inputOf({ name, line, cwd, env, headers }: ServerDraft): ServerInput | { problem: LineProblem } {
  const named = name.trim();
  if (isAddress(line)) return { name: named, url: line.trim(), headers: byName(headers) };
  const split = splitLine(line);
  if ('problem' in split) return split;
  const { env: before, words } = withoutAssignments(split.words);
  const [command = '', ...args] = words;
  const folder = cwd.trim();
  return { name: named, command, args, env: { ...before, ...byName(env) }, ...(folder !== '' && { cwd: folder }) };
}

/** A name for what nobody named: the package of a command, the host of an address. */
export function suggestedName(line: string): string {
  if (isAddress(line)) {
    // No host: a part of it is a placeholder, or is still to be typed.
    const hostname = URL.canParse(line.trim()) ? new URL(line.trim()).hostname : '';
    const parts = hostname.split('.').filter((part) => !/^(www|mcp|api|app)$/.test(part));
    return asName(/^[\d.]+$|^localhost$|^\[/.test(hostname) ? 'local' : (parts.at(-2) ?? parts[0] ?? ''));
  }
  const split = splitLine(line);
  const words = 'words' in split ? withoutAssignments(split.words).words : [];
  const telling = words.filter(
    (word, index) => index > 0 && !word.startsWith('-') && !/^(run|exec|x|dlx|tool)$/.test(word),
  );
  const last = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  const found = telling.find((word) => /mcp|server/i.test(word)) ?? telling[0] ?? words[0] ?? '';
  const scope = /^@([\w-]+)\/mcp(@|$)/.exec(found)?.[1];
  const bare = last(found.replace(/(?<=.)@[^/]*$/, ''))
    .replace(/:[\w.-]+$/, '')
    .replace(/\.(js|mjs|cjs|ts|py|sh|exe)$/, '');
  return asName(scope ?? (bare.replace(/(^|[-_])(mcp|server)(?=[-_]|$)/gi, '') || bare));
}

/** True for a placeholder: the person has to put in their own value. */
export function isPlaceholder(value: string): boolean {
  return /<[^<>]+>|\$\{input:[^}]*\}|\byour[-_ ]\w+|\bxxx+|^\.\.\.$|^…$/i.test(value);
}

/** True for what is not secret: where a secret is kept, or a placeholder for one. */
export function mayBeShown(value: string): boolean {
  return /^\$\{\w+\}$/.test(value) || isPlaceholder(value);
}

function merged(before: readonly NamedValue[], more: readonly NamedValue[]): readonly NamedValue[] {
  return [...before.filter(({ name }) => !more.some((each) => each.name === name)), ...more];
}

type Values = Readonly<Record<string, unknown>>;

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Comments and commas at the end of a list are accepted, as in the files that people copy from. */
function parsed(text: string): Values | undefined {
  const plain = text.replaceAll(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g,
    (_, kept = '') => kept,
  );
  try {
    const value: unknown = JSON.parse(plain);
    return isValues(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function serversIn(value: Values): readonly ServerDraft[] {
  for (const key of ['mcpServers', 'mcp_servers', 'context_servers', 'servers', 'mcp']) {
    const inner = value[key];
    if (isValues(inner)) return isServer(inner) ? [draftOf('', inner)] : serversIn(inner);
  }
  if (isServer(value)) return [draftOf(textOf(value.name), value)];
  return Object.entries(value).flatMap(([name, server]) =>
    isValues(server) && isServer(server) ? [draftOf(name, server)] : [],
  );
}

function isServer({ command, ...rest }: Values): boolean {
  return typeof command === 'string' || Array.isArray(command) || addressIn(rest) !== undefined;
}

function addressIn({ url, serverUrl, httpUrl }: Values): string | undefined {
  return [url, serverUrl, httpUrl].find((each): each is string => typeof each === 'string');
}

function draftOf(name: string, server: Values): ServerDraft {
  const { command, args, env, environment, cwd, headers } = server;
  const address = addressIn(server);
  const words = [command, args].flat().filter((each) => each !== undefined);
  const line = address ?? joinLine(words.map(textOf));
  return {
    name: asName(name) || suggestedName(line),
    line,
    cwd: textOf(cwd),
    env: address === undefined ? valuesOf(env ?? environment) : [],
    headers: address === undefined ? [] : valuesOf(headers),
  };
}

function valuesOf(values: unknown): NamedValue[] {
  return isValues(values) ? Object.entries(values).map(([name, value]) => ({ name, value: textOf(value) })) : [];
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function byName(rows: readonly NamedValue[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );
}

function asName(text: string): string {
  return text
    .replaceAll(/[^a-zA-Z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 32);
}

function serverOfLine(text: string): readonly ServerDraft[] {
  const line = text.replace(/^\$ /, '');
  if (isAddress(line)) return [{ ...NO_SERVER, name: suggestedName(line), line }];
  const split = splitLine(line);
  if ('problem' in split || split.words.length === 0) return [];
  const { env, words } = withoutAssignments(split.words);
  if (words[1] === 'mcp' && words[2] === 'add') return serverOfAdding(words.slice(3));
  if (words.length === 0) return [];
  const rows = Object.entries(env).map(([name, value]) => ({ name, value }));
  const rest = joinLine(words);
  return [{ ...NO_SERVER, name: suggestedName(rest), line: rest, env: rows }];
}

/** `A=1 program`, also with `env` before it. */
function withoutAssignments(words: readonly string[]): { env: Record<string, string>; words: readonly string[] } {
  const from = words[0] === 'env' && /^\w+=/.test(words[1] ?? '') ? 1 : 0;
  const found = words.slice(from).findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const end = found < 0 ? words.length : from + found;
  const pairs = words.slice(from, end).map((word) => pairOf(word, '='));
  return { env: byName(pairs), words: words.slice(end) };
}

function pairOf(text: string, sign: string): NamedValue {
  const at = text.indexOf(sign);
  return at < 0 ? { name: text, value: '' } : { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
}

/** What follows `… mcp add` of another program: `-e NAME=value`, `--header "Name: value"`, other flags, a name, and the server. */
function serverOfAdding(given: readonly string[]): readonly ServerDraft[] {
  const env: NamedValue[] = [];
  const headers: NamedValue[] = [];
  const left: string[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (word === '--') {
      left.push(...given.slice(at + 1));
      break;
    }
    const [flag = '', inside] = word.startsWith('--') ? word.split(/=(.*)/s) : [word];
    const value = (): string => {
      if (inside !== undefined) return inside;
      at += 1;
      return given[at] ?? '';
    };
    if (flag === '-e' || flag === '--env') env.push(pairOf(value(), '='));
    else if (flag === '-H' || flag === '--header') headers.push(headerOf(value()));
    else if (flag === '--url') left.push(value());
    else if (/^(-s|--scope|-t|--transport|--type)$/.test(flag)) value();
    else if (left.length > 1 || !word.startsWith('-')) left.push(word);
  }
  const [name = '', ...server] = left;
  const line = server.length === 1 ? (server[0] ?? '') : joinLine(server);
  if (line === '') return [];
  return [{ ...NO_SERVER, name: asName(name), line, ...(isAddress(line) ? { headers } : { env }) }];
}

function headerOf(text: string): NamedValue {
  return pairOf(text, /^[\w-]+=/.test(text) ? '=' : ':');
}

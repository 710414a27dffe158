// The person's side: where output goes, whether it is a terminal, and how an ending becomes an exit code.
import type { Environment } from '../config/environment.ts';
import { printable } from '../lib/printable.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import type { Host, InputStream, OutputStream } from './host.ts';

export { printable };

export const EXIT = { done: 0, failed: 1, usage: 2, hungUp: 129, cancelled: 130, terminated: 143 } as const;

export interface Terminal extends Pick<Host, 'interrupt' | 'kill' | 'tellParent'> {
  environment: Environment;
  input: InputStream;
  out: OutputStream;
  err: OutputStream;
  /** Fires on Ctrl-C and on SIGTERM. */
  signal: AbortSignal;
  /** The exit code of a command that was ended by one of them. */
  cancelledExit(): number;
}

/** Where somebody can be asked: the question is shown on stderr, stdout belongs to the result. */
export function canAsk({ input, err }: Terminal): boolean {
  return err.isTTY && input.kind() === 'terminal';
}

export interface OutputFlags {
  json?: boolean;
  text?: boolean;
}

/** Wrong usage: exit code 2. The message names the flag, the value and what is accepted. */
export class UsageError extends CodedError {
  readonly usage: string | undefined;

  constructor(message: string, { code = 'USAGE', usage }: { code?: string; usage?: string } = {}) {
    super(code, message);
    this.usage = usage;
  }
}

/** A workspace that cannot be used is wrong usage when a flag chose it. */
export async function explainWorkspaceError<T>(flag: string | undefined, opened: Promise<T>): Promise<T> {
  try {
    return await opened;
  } catch (error) {
    if (flag === undefined || !(error instanceof WorkspaceError)) throw error;
    throw new UsageError(`--workspace ${flag} is not accepted: ${error.message}. Accepted: an existing directory`);
  }
}

/** A person at a terminal reads text, a program reads JSON; a flag decides otherwise. */
export function wantsJson({ out }: Terminal, { json, text }: OutputFlags): boolean {
  if (json && text) throw new UsageError('--json and --text exclude each other: give one of them');
  return json ?? !(text ?? out.isTTY);
}

export function writeJson({ out }: Terminal, value: unknown): void {
  out.write(`${jsonEscaped(JSON.stringify(value, undefined, 2))}\n`);
}

/** JSON that means the same, without the characters that `printable` makes visible. */
export function jsonEscaped(text: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/** `lainclaw … | head`: what is left would be read by nobody. */
export function readerHasGone({ signal }: Terminal): boolean {
  return signal.aborted && signal.reason !== 'SIGINT' && signal.reason !== 'SIGTERM';
}

export function warn({ err }: Terminal, message: string): void {
  err.write(`lainclaw: ${printable(message)}\n`);
}

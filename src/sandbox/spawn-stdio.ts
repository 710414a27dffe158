import { closeSync, openSync } from 'node:fs';

type Stdio = 'ignore' | 'pipe' | number;

export interface StdioOptions {
  /** A descriptor, a pipe made by node, or nothing to read. */
  input: number | 'pipe' | 'nothing';
  /** The standard output and error. */
  outputs: readonly (number | 'pipe' | 'nothing')[];
  /** Pipes to the child beyond the three, as descriptors 3, 4, … */
  channels: number;
  /** Descriptors of ours that follow them. */
  files?: readonly number[];
  /** Descriptors that must not reach the child, ascending. */
  inherited: readonly number[];
}

/** The descriptors of a child. Call `close` once it is spawned. */
export function stdioFor(options: StdioOptions): { stdio: Stdio[]; close(): void } {
  const { input, outputs, channels, files = [], inherited } = options;
  const nothing = openSync('/dev/null', 'r');
  const stdio: Stdio[] = [input, ...outputs].map((each) => (each === 'nothing' ? nothing : each));
  for (let channel = 0; channel < channels; channel += 1) stdio.push('pipe');
  stdio.push(...files);
  for (const descriptor of inherited) {
    while (stdio.length < descriptor) stdio.push('ignore');
    if (stdio.length === descriptor) stdio.push(nothing);
  }
  return { stdio, close: () => closeSync(nothing) };
}

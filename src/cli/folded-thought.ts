import { printable } from './terminal.ts';

const KEPT = 2_000;
const SHOWN = 200;

/** What a model has thought so far, with more of it; only the end is kept. */
export function withThought(thought: string, more: string): string {
  return (thought + more).slice(-KEPT);
}

/** Its last sentence or line, as one line. */
export function foldedThought(thought: string): string {
  const lines = thought
    .split(/\n|(?<=[.!?。！？])\s/)
    .map((line) => line.replace(/[*_#`]+/g, '').trim())
    .filter((line) => line !== '');
  return printable(lines.at(-1) ?? '').slice(0, SHOWN);
}

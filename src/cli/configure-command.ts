import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

export type SetExitCode = (code: number) => void;

/** Adds a command's arguments, flags and action to its (empty) command. */
export type ConfigureCommand = (command: Command, terminal: Terminal, setExitCode: SetExitCode) => void;

export interface ProgramOptions {
  version: string;
  terminal: Terminal;
  /** The command that will be run, when it is known. */
  commandName: string | undefined;
  replaced: Readonly<Record<string, ConfigureCommand>>;
  setExitCode: SetExitCode;
}

/** Makes the program with the named command in full. */
export type CreateProgram = (options: ProgramOptions) => Promise<Command>;

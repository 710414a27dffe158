// What the input offers: commands and their arguments behind `/`, files of the workspace behind `@`, paths with Tab.
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  CombinedAutocompleteProvider,
  fuzzyFilter,
} from '@earendil-works/pi-tui';
import { printable } from '../terminal.ts';
import type { ChatCommand } from './commands.ts';

const SHOWN = 50;

export interface CompletionDependencies {
  commands: readonly ChatCommand[];
  root: string;
  /** Files below the root that fit some letters, as paths from it, the best first. */
  findFiles(letters: string, most: number): Promise<readonly string[]>;
}

export interface Completion extends AutocompleteProvider {
  /** Needs nothing of what is offered behind it: the argument of a command, which may be a new one, or a file named to its end. */
  isWhole(before: string): boolean;
}

export function createCompletion(dependencies: CompletionDependencies): Completion {
  const { commands, root, findFiles } = dependencies;
  /** Commands that people wrote are read while the chat is open already. */
  let known: { count: number; provider: CombinedAutocompleteProvider } | undefined;
  const library = (): CombinedAutocompleteProvider => {
    if (known?.count !== commands.length) known = { count: commands.length, provider: provide() };
    return known.provider;
  };
  const provide = (): CombinedAutocompleteProvider =>
    new CombinedAutocompleteProvider(
      commands.map(({ name, about, complete }) => ({
        name,
        description: about,
        ...(complete && {
          getArgumentCompletions: async (prefix: string) => {
            const values = await complete().catch((): string[] => []);
            const found = fuzzyFilter([...values], prefix, (value) => value).slice(0, SHOWN);
            return found.map((value) => ({ value, label: value }));
          },
        }),
      })),
      root,
    );
  /** The text before the cursor when an item was offered. */
  const offeredFor = new WeakMap<AutocompleteItem, string>();
  let lastOffered: AutocompleteItem[] = [];

  function offering(before: string, found: AutocompleteSuggestions | null): AutocompleteSuggestions | null {
    lastOffered = (found?.items ?? []).filter(isShowable);
    for (const item of lastOffered) offeredFor.set(item, before);
    return found && lastOffered.length > 0 ? { ...found, items: lastOffered } : null;
  }

  return {
    triggerCharacters: ['@'],
    async getSuggestions(lines, cursorLine, cursorCol, options) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const [, prefix] = /(?:^|\s)(@(?:"[^"]*|\S*))$/.exec(before) ?? [];
      if (prefix === undefined)
        return offering(before, await library().getSuggestions(lines, cursorLine, cursorCol, options));
      const found = await findFiles(prefix.replace(/^@"?/, ''), SHOWN);
      if (options.signal.aborted || found.length === 0) return offering(before, null);
      const items = found.map((path) => ({ value: /\s/.test(path) ? `@"${path}"` : `@${path}`, label: path }));
      return offering(before, { prefix, items });
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      // The person typed on before the list arrived: what it offers is for an earlier text.
      if (offeredFor.get(item) !== before) return { lines, cursorLine, cursorCol };
      return library().applyCompletion(lines, cursorLine, cursorCol, item, prefix);
    },
    isWhole(before) {
      if (/^\/\S+\s/.test(before)) return true;
      return lastOffered.some((item) => offeredFor.get(item) === before && before.endsWith(item.value));
    },
    shouldTriggerFileCompletion: (...args) => library().shouldTriggerFileCompletion(...args),
  };
}

/** Names of files, and of models on a server, are anybody's: what a terminal would obey cannot be typed either. */
function isShowable({ value, label, description = '' }: AutocompleteItem): boolean {
  return [value, label, description].every((text) => printable(text) === text);
}

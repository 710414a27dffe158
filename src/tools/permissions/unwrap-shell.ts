// Commands that take shell text: sh -c, eval, trap, source, ssh, watch; and those that change what a name means.
import { baseName, type Context, RUNS_FILE, type Word } from './command.ts';
import { skipOptions } from './skip-options.ts';
import type { Inner, Unwrapped, Wrapper } from './unwrapped.ts';

const SHELLS = /^(?:ba|z|da|k|a|fi|c|tc|mk|lk|rba)?sh$/;
/** What is bash's own: other shells take it as plain text, or as something else. */
const BASH_ONLY = /[{[(~]|\$['"]|<<<|&>|>&|\|&|;&|\+=/;
const SHELL_SYNTAX = { flags: 'ceuxvfhnpab', values: 'oO' };

export function unwrapShell(name: string, words: readonly Word[], command: Wrapper): Unwrapped | undefined {
  if (SHELLS.test(name)) return shell(name, words, command);
  switch (name) {
    case 'eval':
      return {
        ...scripted(words, 'eval evaluates text that is only known when it runs'),
        hazards: ['evaluates text as commands'],
      };
    case 'source':
    case '.':
      return { inner: [], redefines: `runs ${words[0]?.text ?? 'a file'} in this shell`, hazards: [RUNS_FILE] };
    case 'trap':
      return {
        ...scripted(words.slice(0, 1), 'a trap is only known when it runs', 'detached'),
        hazards: ['sets a trap'],
      };
    case 'alias':
      return words.length > 0 ? { ...aliases(words), redefines: 'defines an alias', hazards: [] } : undefined;
    case 'shopt':
    case 'enable':
    case 'hash':
      return words.length > 0
        ? { inner: [], redefines: `${name} changes how names are understood`, hazards: [] }
        : undefined;
    case 'ssh': {
      const { rest } = skipOptions(words, { flags: '1246AaCfGgKkMNnqsTtVvXxYy', values: 'BbcDEeFIiJLlmOopQRSWw' });
      return {
        ...scripted(rest.slice(1), 'ssh runs what is only known later', 'detached'),
        hazards: ['runs on another machine'],
      };
    }
    case 'watch': {
      const { rest } = skipOptions(words, {
        flags: 'bcdegptwxC',
        values: 'nq',
        longValues: ['--interval'],
        long: ['--differences'],
      });
      return {
        ...scripted(rest, 'watch runs what is only known later'),
        hazards: ['repeats the command until stopped'],
      };
    }
    case 'script': {
      const { options } = skipOptions(words, { flags: 'aefqt', values: 'cEIOBTmo', longValues: ['--command'] });
      const given = options.filter((option) => option.name === '-c' || option.name === '--command');
      return {
        ...scripted(
          given.flatMap(({ value }) => value ?? []),
          'script runs a shell',
        ),
        hazards: ['records a session'],
      };
    }
    case 'parallel': {
      const separator = words.findIndex((word) => word.kind === 'static' && /^:::+\+?$/.test(word.text));
      const { rest } = skipOptions(separator < 0 ? words : words.slice(0, separator), {
        flags: '0kmXt',
        values: 'jNnIaSCd',
      });
      const { inner } = scripted(rest, '');
      return { inner, unseen: 'parallel makes commands from its input', hazards: ['makes commands from its input'] };
    }
    default:
      return undefined;
  }
}

/** The words joined as the shell would join them, read as a script when all of them are known. */
function scripted(words: readonly Word[], otherwise: string, how?: Context): Unwrapped {
  if (words.length === 0) return { inner: [], hazards: [] };
  if (words.some((word) => word.kind === 'dynamic' || word.kind === 'one-of'))
    return { inner: [], unseen: otherwise, hazards: [] };
  return { inner: [{ kind: 'script', text: words.map((word) => word.text).join(' '), how }], hazards: [] };
}

function aliases(words: readonly Word[]): Pick<Unwrapped, 'inner'> {
  return {
    inner: words.flatMap((word) => {
      const text = word.kind === 'static' ? word.text.slice(word.text.indexOf('=') + 1) : '';
      return text ? [{ kind: 'script' as const, text, how: 'detached' as const }] : [];
    }),
  };
}

function shell(name: string, words: readonly Word[], command: Wrapper): Unwrapped {
  const { options, rest, certain } = skipOptions(words, SHELL_SYNTAX);
  const hazards = [
    ...(name === 'bash' ? [] : [`${name} reads the text in its own way`]),
    ...(certain && options.every((option) => /^-[ceu]$/.test(option.name))
      ? []
      : [`${name} is given options that change it`]),
  ];
  const [script] = rest;
  if (options.some((option) => option.name === '-c')) {
    const run = scripted(script ? [script] : [], `${name} -c is given text that is only known when it runs`);
    return { ...run, unseen: run.unseen ?? readOtherwise(name, run.inner), hazards: [...hazards, ...run.hazards] };
  }
  if (script) return { inner: [], hazards: [...hazards, RUNS_FILE] };
  const read = input(command);
  return {
    ...read,
    unseen: read.complete ? readOtherwise(name, read.inner) : `${name} runs what it reads`,
    hazards: [...hazards, 'runs what it reads'],
  };
}

/** The text was read as bash would: for another shell that only holds where both read it alike. */
function readOtherwise(name: string, inner: readonly Inner[]): string | undefined {
  const differs = inner.some((part) => part.kind === 'script' && BASH_ONLY.test(part.text));
  return name !== 'bash' && differs ? `${name} reads the text differently from bash` : undefined;
}

/** What a shell would read from a here-document, a here-string or an echo before it, when that is fixed. */
function input({ redirections, pipedFrom }: Wrapper): Pick<Unwrapped, 'inner'> & { complete: boolean } {
  const inline = redirections.flatMap((redirection) => (redirection.access === 'inline' ? [redirection.content] : []));
  const complete =
    pipedFrom === undefined && inline.length === 1 && inline[0]?.kind === 'static' && redirections.length === 1;
  const texts = inline.flatMap((content) => (content.kind === 'static' ? [content.text] : []));
  if (pipedFrom?.program !== undefined && /^(?:echo|printf|cat)$/.test(baseName(pipedFrom.program))) {
    const said = pipedFrom.words.slice(1).filter((word) => word.kind === 'static' && !/^-[neE]+$/.test(word.text));
    texts.push(said.map((word) => word.text.replaceAll('\\n', '\n')).join(' '));
    for (const redirection of pipedFrom.redirections)
      if (redirection.access === 'inline' && redirection.content.kind === 'static')
        texts.push(redirection.content.text);
  }
  return { inner: texts.filter((text) => text.trim() !== '').map((text) => ({ kind: 'script', text })), complete };
}

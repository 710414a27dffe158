// docs/operations.md lists every operation. `node scripts/operations-page.ts` writes it; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { OPERATIONS } from '../src/operations/all.ts';
import type { Operation } from '../src/operations/operation.ts';
import { report } from './source-files.ts';

const PAGE = 'docs/operations.md';
/** Who besides the owner may call it from a chat. */
const MARKS = { chat: ' \\*', sender: ' \\*\\*' } as const;

const text = `# Operations

What a person can do with Lainclaw. Each operation is a typed function with a schema for its input and its output
(\`src/operations/\`); the command line, the chat, the HTTP API and the library are readers of them. The class says what
it may cost: \`read\` changes nothing, \`change\` can be repeated or taken back, \`danger\` removes something for good or lets
somebody in. Who asks, and from where, decides with it what may be called (\`src/operations/may-call.ts\`): at the terminal and
by a program everything; in a chat everything by its owner, but in a group nothing that is \`danger\`; by others only what is
marked here, and in a group nothing that changes the chat (\\* everybody in the chat, \\*\\* each for what they asked for).

This page is generated: \`npm run docs\` writes it, and \`npm run check\` fails when it is out of date.

| operation | class | input | what it does |
|---|---|---|---|
${OPERATIONS.map(rowOf).join('\n')}
`;

if (process.argv.includes('--check')) {
  const isCurrent = readFileSync(PAGE, 'utf8') === text;
  report('operations', isCurrent ? problems() : [`${PAGE} is out of date: run "npm run docs"`]);
} else writeFileSync(PAGE, text);

function rowOf({ name, class: kind, concerns, input, summary }: Operation): string {
  const fields = Object.keys(input.properties).map((field) =>
    input.required?.includes(field) ? `\`${field}\`` : `\`${field}?\``,
  );
  const mark = concerns ? MARKS[concerns] : '';
  return `| \`${name}\`${mark} | ${kind} | ${fields.join(', ') || '–'} | ${summary} |`;
}

/** Names are unique and read `noun.verb`; a summary is one sentence. */
function problems(): string[] {
  const names = OPERATIONS.map(({ name }) => name);
  return [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} exists twice`),
    ...names.filter((name) => !/^[a-z][a-z-]*\.[a-zA-Z]+$/.test(name)).map((name) => `${name} is not "noun.verb"`),
    ...OPERATIONS.filter(({ summary }) => !/^[A-Z].*\.$/.test(summary)).map(
      ({ name }) => `${name}: write one sentence`,
    ),
  ];
}

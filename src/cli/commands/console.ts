// `lainclaw console`: who may use the web console and the API, from the terminal.
import type { Command } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from '../../operations/api-keys.ts';
import {
  createConsoleLink,
  invitePerson,
  listConsolePeople,
  listConsoleSessions,
  removeConsolePerson,
  revokeConsoleSession,
  setConsolePassword,
} from '../../operations/console.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { withOutput } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, wantsJson, writeJson } from '../terminal.ts';

export const configureConsole: ConfigureCommand = (command, terminal) => {
  const verb = (name: string, description: string): Command =>
    withOutput(command.command(name).description(description));

  /** The output as JSON, or as the lines that it is made into. */
  async function show<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    flags: OutputFlags,
    lines: (output: Output) => readonly string[],
  ): Promise<void> {
    await runOperation(terminal, operation, input, (output) => {
      if (wantsJson(terminal, flags)) writeJson(terminal, output);
      else for (const line of lines(output)) terminal.out.write(`${printable(line)}\n`);
    });
  }

  verb('link', 'Print a link that signs a browser in, once and within ten minutes')
    .argument('[person]', 'the id of a person; without it, you')
    .action((person: string | undefined, flags: OutputFlags) =>
      show(createConsoleLink, { person }, flags, ({ url }) => [url]),
    );
  verb('sessions', 'List the browsers that are signed in').action((flags: OutputFlags) =>
    show(listConsoleSessions, {}, flags, (sessions) =>
      sessions.length === 0
        ? ['no browser is signed in; "lainclaw up" opens one']
        : sessions.map(({ id, name, seenAt, agent }) => `${id}  ${name}  last seen ${seenAt}  ${agent}`),
    ),
  );
  verb('revoke', 'Sign a browser out')
    .argument('<id>', 'as "lainclaw console sessions" lists it')
    .action((id: string, flags: OutputFlags) =>
      show(revokeConsoleSession, { id }, flags, () => [`${id} is signed out`]),
    );
  verb('password', 'Set the password that signs you in to the web console; it is read from standard input')
    .option('--remove', 'take it away: then only links sign in')
    .action(async (flags: OutputFlags & { remove?: boolean }) => {
      const { readSecret } = await import('../read-secret.ts');
      const password = flags.remove ? undefined : await readSecret('password', terminal);
      await show(setConsolePassword, { password }, flags, ({ isSet }) => [
        isSet ? 'the password is set' : 'there is no password now',
      ]);
    });
  verb('people', 'List the people who were invited').action((flags: OutputFlags) =>
    show(listConsolePeople, {}, flags, (people) =>
      people.length === 0
        ? ['nobody was invited; "lainclaw console invite <name>" invites somebody']
        : people.map(({ id, name, createdAt }) => `${id}  ${name}  since ${createdAt}`),
    ),
  );
  verb('invite', 'Add a person with conversations of their own, and print the link that signs them in')
    .argument('<name>')
    .action((name: string, flags: OutputFlags) =>
      show(invitePerson, { name }, flags, ({ person, url }) => [
        url,
        `It signs ${person.name} in once, within a week. Another one: lainclaw console link ${person.id}`,
      ]),
    );
  verb('remove', 'Remove a person and sign them out; their conversations stay')
    .argument('<id>', 'as "lainclaw console people" lists it')
    .action((id: string, flags: OutputFlags) => show(removeConsolePerson, { id }, flags, () => [`${id} was removed`]));
  verb('keys', 'List the keys of the OpenAI-compatible API').action((flags: OutputFlags) =>
    show(listApiKeys, {}, flags, (keys) =>
      keys.length === 0
        ? ['there is no key; "lainclaw console key <name>" makes one']
        : keys.map(
            ({ id, name, createdAt, usedAt }) =>
              `${id}  ${name}  made ${createdAt}  ${usedAt ? `used ${usedAt}` : 'never used'}`,
          ),
    ),
  );
  verb('key', 'Make a key for a program that uses the OpenAI-compatible API, and print it once')
    .argument('<name>', 'the program that uses it')
    .action((name: string, flags: OutputFlags) => show(createApiKey, { name }, flags, ({ secret }) => [secret]));
  verb('revoke-key', 'Revoke a key; it stops working at once')
    .argument('<id>', 'as "lainclaw console keys" lists it')
    .action((id: string, flags: OutputFlags) => show(revokeApiKey, { id }, flags, () => [`${id} was revoked`]));
};

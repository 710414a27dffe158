// Who may use the web console: links that sign in, browsers that have signed in, people with conversations of their own.
import { OWNER_ID } from '../gateway/console-access/console-access.ts';
import { HOW_TO_START, ServiceError } from '../gateway/service/service-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const LINK = objectWith({ url: { ...TEXT, description: 'signs in one browser, once' }, expiresAt: TIME });
const PERSON = objectWith({ id: TEXT, name: TEXT, createdAt: TIME });
/** An invited person may open the link another day. */
const INVITATION_MS = 7 * 24 * 3_600_000;

export const createConsoleLink = defineOperation({
  name: 'console.link',
  class: 'danger',
  summary: 'Make a link that signs a browser in to the web console, once and within ten minutes.',
  input: {
    type: 'object',
    properties: { person: { ...TEXT, description: 'the id of a person; the owner by default' } },
    additionalProperties: false,
  },
  output: LINK,
  run: async ({ person }, { runtime }) => linkFor(runtime, { person }),
});

export const invitePerson = defineOperation({
  name: 'console.invite',
  class: 'danger',
  summary:
    'Add a person with conversations and a memory of their own, and make the link that signs them in, once and within a week.',
  input: { type: 'object', properties: { name: TEXT }, required: ['name'], additionalProperties: false },
  output: objectWith({ person: PERSON, ...LINK.properties }),
  async run({ name }, { runtime }) {
    // Before anything is stored: a person without a link would only be in the way.
    await addressOf(runtime, 'others');
    const person = await (await runtime.consoleAccess()).addPerson(name);
    return { person, ...(await linkFor(runtime, { person: person.id, ttlMs: INVITATION_MS })) };
  },
});

export const setConsolePassword = defineOperation({
  name: 'console.password',
  class: 'danger',
  summary:
    "Set the owner's password for the web console, or take it away. Replacing one signs the owner's other browsers out. Other machines can reach the console only with one.",
  input: {
    type: 'object',
    properties: { password: { ...TEXT, description: 'at least ten characters; without it, only links sign in' } },
    additionalProperties: false,
  },
  output: objectWith({ isSet: YES_OR_NO }),
  async run({ password }, { runtime, browser }) {
    await (await runtime.consoleAccess()).setPassword(password, { keep: browser });
    return { isSet: password !== undefined };
  },
});

export const listConsolePeople = defineOperation({
  name: 'console.people',
  class: 'read',
  summary: 'List the people who were invited to the web console.',
  input: NO_INPUT,
  output: listOf(PERSON),
  run: async (_input, { runtime }) => (await runtime.consoleAccess()).people(),
});

export const removeConsolePerson = defineOperation({
  name: 'console.removePerson',
  class: 'danger',
  summary: 'Remove a person from the web console and sign them out. Their conversations stay.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ removed: YES_OR_NO }),
  async run({ id }, { runtime }) {
    if (!(await (await runtime.consoleAccess()).removePerson(id)))
      throw new CodedError('PERSON_UNKNOWN', `there is no person "${id}": "lainclaw console people" lists them`);
    return { removed: true };
  },
});

export const listConsoleSessions = defineOperation({
  name: 'console.sessions',
  class: 'read',
  summary: 'List the browsers that are signed in to the web console.',
  input: NO_INPUT,
  output: listOf(
    objectWith({ id: TEXT, person: TEXT, name: TEXT, createdAt: TIME, seenAt: TIME, expiresAt: TIME, agent: TEXT }),
  ),
  async run(_input, { runtime }) {
    const access = await runtime.consoleAccess();
    const [sessions, people] = await Promise.all([access.sessions(), access.people()]);
    const nameOf = (id: string): string => people.find((person) => person.id === id)?.name ?? OWNER_ID;
    return sessions.map((session) => ({ ...session, name: nameOf(session.person) }));
  },
});

export const revokeConsoleSession = defineOperation({
  name: 'console.revoke',
  class: 'change',
  summary: 'Sign a browser out of the web console.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ revoked: YES_OR_NO }),
  async run({ id }, { runtime }) {
    if (!(await (await runtime.consoleAccess()).revoke(id)))
      throw new CodedError(
        'SESSION_UNKNOWN',
        `no browser is signed in as "${id}": "lainclaw console sessions" lists them`,
      );
    return { revoked: true };
  },
});

async function linkFor(
  runtime: Runtime,
  options: { person?: string; ttlMs?: number },
): Promise<{ url: string; expiresAt: string }> {
  const address = await addressOf(runtime, options.person === undefined ? 'owner' : 'others');
  const { code, expiresAt } = await (await runtime.consoleAccess()).createLink(options);
  // Behind #, where neither a preview of the link, a proxy nor a log sees it.
  return { url: `${address}/login#${code}`, expiresAt };
}

/** Others may be at another machine: they get the address that browsers there use, where there is one. */
async function addressOf(runtime: Runtime, whose: 'owner' | 'others'): Promise<string> {
  const { states, settingsFile } = await runtime.gatewayAdmin();
  const state = await states.running();
  if (!state) throw new ServiceError('GATEWAY_NOT_RUNNING', `the gateway is not running: ${HOW_TO_START}`);
  const { consoleBasePath = '', consoleOrigins } = (await settingsFile.read()).default;
  const [origin = `http://127.0.0.1:${state.port}`] = whose === 'others' ? ((consoleOrigins ?? []) as string[]) : [];
  return `${origin}${consoleBasePath}`;
}

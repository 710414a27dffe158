// A scheduled job as a turn of its own conversation. Nobody is there to ask, so what the owner's rules do not allow is refused;
// what a workspace's file asks for counts as content from outside.
import type { Language } from '../config/settings.ts';
import { slugOf } from '../lib/given-name.ts';
import type { Caps } from '../pipeline/budget.ts';
import type { AskResult } from '../pipeline/events.ts';
import type { FireResult } from '../schedule/runner.ts';
import type { Job } from '../storage/jobs.ts';
import { parseChatName } from '../vocabulary/chat-name.ts';
import { taintSource } from '../vocabulary/taint-source.ts';
import { sessionKeyOf } from './chats/session-key-of.ts';
import { type AskRequest, type Gateway, RefusedRequest } from './gateway.ts';
import type { JobSettings } from './settings/settings.ts';

/** How the turns of jobs are run in this process. */
export type JobTurnSettings = Pick<AskRequest, 'provider' | 'profileId' | 'model' | 'caps'> &
  Partial<Pick<AskRequest, 'withTools' | 'toolAllow' | 'toolMaxSteps' | 'memory' | 'mode'>>;

export function jobTurn({ profile, toolMaxSteps, ...settings }: JobSettings, caps: Caps): JobTurnSettings {
  return { ...settings, profileId: profile, caps, ...(toolMaxSteps !== undefined && { toolMaxSteps }) };
}

const MAX_STEPS = 25;
/** How many messages of its earlier runs the model sees: the cost of an hourly job must not grow. */
const MESSAGES_TOLD = 10;

const SILENT = '{"silent": true, "reason": "…"}';

const ABOUT_JOBS: Record<Language, string> = {
  en: `This is a scheduled job: nobody reads along and nobody can answer you, so decide by yourself and do not ask. Your last message is what is sent. When there is nothing worth telling, answer exactly ${SILENT}: then nothing is sent.`,
  zh: `这是定时任务：没有人在看，也没有人能回答你，所以自己决定，不要提问。你的最后一条消息会被发送。没有值得说的内容时，只回答 ${SILENT}，这样就不会发送任何消息。`,
  ru: `Это задание по расписанию: никто не читает вас сейчас и никто не может ответить, поэтому решайте сами и не спрашивайте. Отправлено будет ваше последнее сообщение. Когда сообщить нечего, ответьте ровно ${SILENT}: тогда ничего не отправляется.`,
};

export async function askForJob(
  { ask, language = 'en' }: Gateway & { language?: Language },
  job: Pick<Job, 'name' | 'message' | 'model' | 'injectInto' | 'source' | 'asker'>,
  { model, ...settings }: JobTurnSettings,
  signal: AbortSignal,
): Promise<FireResult> {
  try {
    const events = await ask(
      {
        withTools: true,
        toolMaxSteps: MAX_STEPS,
        // Nobody is there to be asked: what asks is refused in every mode.
        mode: 'never',
        ...settings,
        model: job.model ?? model,
        input: job.message,
        attachments: [],
        sessionKey: jobSessionKey(job),
        newSession: false,
        historyMessages: MESSAGES_TOLD,
        ...(job.source === 'heartbeat' && { taintedBy: [taintSource('file', 'HEARTBEAT.md')] }),
        instructions: ABOUT_JOBS[language],
        callSource: 'schedule',
        chat: job.injectInto,
        asker: job.asker,
      },
      signal,
    );
    return resultOf(await lastOf(events));
  } catch (error) {
    if (error instanceof RefusedRequest) return { ok: false, reason: error.message };
    throw error;
  }
}

async function lastOf(events: Awaited<ReturnType<Gateway['ask']>>): Promise<AskResult> {
  let result: AskResult | undefined;
  for await (const event of events) if (event.type === 'run-end') result = event.result;
  if (!result) throw new Error('the turn ended without a result');
  return result;
}

function resultOf(result: AskResult): FireResult {
  if (!result.success) return { ok: false, reason: `${result.error.code}: ${result.error.message}` };
  return { ok: true, answer: result.result };
}

/** The session of a job's turns. Other people's jobs have one for each chat: a name that was the owner's must not bring its history. */
export function jobSessionKey({ name, asker }: Pick<Job, 'name' | 'asker'>): string {
  const own = `schedule:${slugOf(name)}`;
  const chat = asker.kind === 'chat' && asker.scope !== 'owner' ? parseChatName(asker.chat) : undefined;
  return chat ? `${own}:${sessionKeyOf(chat)}` : own;
}

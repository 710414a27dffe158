// Live progress: one message that is edited while a turn runs. It appears only when the turn takes a while, is changed at
// most every so often, and never gets in the turn's way: what cannot be shown is not shown.
import { type Channel, ChannelError, type OutgoingMessage, type SentMessage } from '../../channels/channel.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import { checklistLines, checklistOf } from '../../tools/checklist.ts';
import { tellingArgument } from '../../tools/telling-argument.ts';
import type { ToolCall } from '../../tools/tool.ts';

const WORKING_EVERY_MS = 4_000;
const SHOWN_TOOLS = 6;
const SHOWN_CHARACTERS = 1_500;
const SHOWN_ARGUMENT = 80;

export interface ProgressOptions {
  channel: Channel;
  chat: Pick<OutgoingMessage, 'chatId' | 'threadId' | 'replyTo'>;
  /** Of the messages it may make. */
  key: string;
  afterMs: number;
  everyMs: number;
  signal: AbortSignal;
  /**
   * Whether what was said before is in the chat. The answer takes the place of the message that shows progress, so one that is made earlier would put the answer
   * above those to earlier messages. Asked only where one is about to be made.
   */
  isNext(): Promise<boolean>;
  /** One that an earlier process has made. */
  place?: SentMessage;
  /** Where it stands from now on. */
  onPlace(place: SentMessage | undefined): void;
}

export interface Progress {
  tell(event: RunEvent): void;
  /** Something else was said in the chat: what comes next appears below it. `asking`: the turn waits for an answer; `continued`: it works on below. */
  leaveBehind(why: 'asking' | 'continued'): void;
  /** What was there when it was stopped. */
  cutShort(): string;
  /** Shows nothing more. The message that the answer may replace, when there is one. */
  end(): Promise<SentMessage | undefined>;
}

export function createProgress(options: ProgressOptions): Progress {
  const { channel, chat, key, afterMs, everyMs, signal, isNext, onPlace } = options;
  const tools: { id: string; line: string }[] = [];
  let checklist = '';
  let text = '';
  let shown = '';
  let { place } = options;
  let places = 0;
  let isOver = false;
  const over = Promise.withResolvers<false>();
  let showing: Promise<void> = Promise.resolve();

  const sign = (): void => void channel.showWorking(chat, signal).catch(() => {});
  sign();
  const signs = setInterval(sign, WORKING_EVERY_MS);
  let timer = setTimeout(update, afterMs);

  function update(): void {
    showing = show().then((waitMs) => {
      if (!isOver && !signal.aborted) timer = setTimeout(update, waitMs);
    });
  }

  /** Returns how long to wait for the next time. */
  async function show(): Promise<number> {
    try {
      const markdown = channel.split(rendered(checklist, tools, text))[0] ?? '';
      if (markdown === '' || markdown === shown) return everyMs;
      if (place) await channel.edit(place, { markdown }, signal);
      // The end of the turn does not wait for a storage that is slow.
      else if (!(await Promise.race([isNext(), over.promise]))) return everyMs;
      else {
        places += 1;
        place = await channel.send({ key: `${key}-p${places}`, ...chat, markdown }, signal);
        onPlace(place);
      }
      shown = markdown;
      return everyMs;
    } catch (error) {
      return Math.max(everyMs, (error instanceof ChannelError ? error.retryAfterMs : undefined) ?? everyMs * 4);
    }
  }

  /** What is shown, without a sign that work is going on. */
  function withMark(mark: string): string {
    const ended = tools.map(({ line }) => ({ line: line.replace(/^⏳/, mark) }));
    const said = text.trimEnd();
    return rendered(checklist, ended, said !== '' ? `${said}\n\n${mark}` : ended.length === 0 ? mark : '');
  }

  return {
    tell(event) {
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'text-restart') text = '';
      else if (event.type === 'tool-start') {
        text = '';
        tools.push({ id: event.call.id, line: `⏳ ${describeCall(event.call)}` });
      } else if (event.type === 'tool-end') {
        const tool = tools.findLast(({ id }) => id === event.call.id);
        const items = checklistOf(event.result);
        if (items) checklist = checklistLines(items).join('\n');
        if (items && tool) tools.splice(tools.indexOf(tool), 1);
        else if (tool) tool.line = `${event.result.ok ? '✓' : '✗'} ${describeCall(event.call)}`;
      }
    },
    leaveBehind(why) {
      const left = place;
      if (left) onPlace(undefined);
      // Nothing will change it again.
      if (left && shown.includes('⏳')) {
        const mark = why === 'asking' ? '⏸' : '↓';
        const markdown = channel.split(withMark(mark))[0] ?? mark;
        void showing.then(() => channel.edit(left, { markdown }, signal)).catch(() => {});
      }
      place = undefined;
      shown = '';
    },
    cutShort: () => withMark('⏹'),
    async end() {
      isOver = true;
      over.resolve(false);
      clearTimeout(timer);
      clearInterval(signs);
      await showing;
      return place;
    },
  };
}

function rendered(checklist: string, tools: readonly { line: string }[], text: string): string {
  const lines = tools.slice(-SHOWN_TOOLS).map(({ line }) => line);
  if (tools.length > SHOWN_TOOLS) lines.unshift(`… ${tools.length - SHOWN_TOOLS} more`);
  const said = text.length > SHOWN_CHARACTERS ? `…${text.slice(-SHOWN_CHARACTERS)}` : text;
  const parts = [checklist, lines.join('\n'), said.trim()].filter((part) => part !== '');
  return [...parts, parts.length === 0 ? '⏳ Working on it…' : ''].join('\n\n').trim();
}

/** The tool, and the argument that tells most. */
function describeCall({ name, args }: ToolCall): string {
  const main = tellingArgument(args);
  if (main === undefined) return name;
  const line = main.replace(/\s+/g, ' ').replaceAll('`', "'").trim();
  return `${name} \`${line.length > SHOWN_ARGUMENT ? `${line.slice(0, SHOWN_ARGUMENT - 1)}…` : line}\``;
}

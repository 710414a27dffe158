// What holds for every transcript, however its processes ended: each check returns what is wrong, in words.
import type { SessionLine, SessionMessage } from '../../src/sessions/lines.ts';

/** A turn the program reported as done: a complete `success:true` on stdout. */
export interface AcknowledgedTurn {
  sessionKey: string;
  sessionId: string;
  input: string;
  result: string;
}

/** Turns stand one after the other, each from its start to its end, with the messages counted right and no id twice. */
export function structureProblems(lines: readonly SessionLine[], { lastMayBeOpen = false } = {}): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  let open: string | undefined;
  let messages = 0;
  if (lines[0]?.type !== 'session')
    problems.push(`the first line is ${lines[0]?.type ?? 'missing'}, not the session's`);
  for (const [index, line] of lines.entries()) {
    const at = `line ${index + 1}`;
    switch (line.type) {
      case 'session':
        if (index > 0) problems.push(`${at}: a second session line`);
        break;
      case 'turn-start':
        if (open) problems.push(`${at}: ${line.turnId} starts inside ${open}`);
        open = line.turnId;
        break;
      case 'turn-end':
        if (open !== line.turnId) problems.push(`${at}: ${line.turnId} ends inside ${open ?? 'nothing'}`);
        if (line.messageCount !== messages)
          problems.push(`${at}: counts ${line.messageCount} messages, there are ${messages}`);
        open = undefined;
        break;
      case 'tool-call':
      case 'tool-result':
        if (open !== line.turnId) problems.push(`${at}: a ${line.type} of ${line.turnId} inside ${open ?? 'nothing'}`);
        break;
      case 'message':
        messages += 1;
        if (!open) problems.push(`${at}: a message outside any turn`);
        if (ids.has(line.message.id)) problems.push(`${at}: the id ${line.message.id} is there twice`);
        ids.add(line.message.id);
        break;
      // Repairs, compactions and whatever a later version writes stand where they like.
      default:
        break;
    }
  }
  if (open && !lastMayBeOpen) problems.push(`${open} never ended`);
  return problems;
}

/** Every acknowledged turn of this transcript is there once, question and answer together, in the order told. */
export function acknowledgedProblems(
  lines: readonly SessionLine[],
  acknowledged: readonly AcknowledgedTurn[],
  { inOrder = true } = {},
): string[] {
  const turns = turnsOf(lines);
  const problems: string[] = [];
  let last = -1;
  for (const { input, result } of acknowledged) {
    const name = `"${input.slice(0, 60)}"`;
    const places = turns.flatMap((messages, index) => (messages.some(isUserSaying(input)) ? [index] : []));
    const [place = -1] = places;
    if (places.length !== 1) {
      problems.push(`the acknowledged turn ${name} is in the transcript ${places.length} times`);
      continue;
    }
    const messages = turns[place] ?? [];
    const answers = messages.filter(({ role }) => role === 'assistant');
    if (messages[0]?.content !== input) problems.push(`the turn ${name} does not begin with its question`);
    if (answers.length !== 1 || messages.at(-1) !== answers[0])
      problems.push(`the turn ${name} ends with ${answers.length} answers`);
    if (answers[0] && answers[0].content !== result)
      problems.push(`the turn ${name} has another answer than the one shown`);
    if (inOrder && place < last) problems.push(`the turn ${name} stands before one that was acknowledged earlier`);
    last = Math.max(last, place);
  }
  return problems;
}

function turnsOf(lines: readonly SessionLine[]): SessionMessage[][] {
  const turns: SessionMessage[][] = [];
  for (const line of lines) {
    if (line.type === 'turn-start') turns.push([]);
    if (line.type === 'message') turns.at(-1)?.push(line.message);
  }
  return turns;
}

function isUserSaying(input: string): (message: SessionMessage) => boolean {
  return ({ role, content }) => role === 'user' && content === input;
}

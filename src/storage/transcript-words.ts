// The words in the lines of a transcript, for each kind of line.
import { allWords, noWords, type Words, wordsExcept, wordsIn } from './words.ts';

/** `<kind>:<name>`: the kind decides what a turn may do. */
const nameOfSource: Words = (value, change) => {
  if (Array.isArray(value)) return value.map((each) => nameOfSource(each, change));
  if (typeof value !== 'string') return value;
  const from = value.indexOf(':') + 1;
  return from === 0 ? value : value.slice(0, from) + change(value.slice(from));
};

/** What a provider wants back unchanged is of no use once it is changed. */
const unchanged: Words = (value, change) => {
  let isChanged = false;
  wordsExcept({ type: noWords, role: noWords, id: noWords })(value, (text) => {
    const after = change(text);
    isChanged ||= after !== text;
    return after;
  });
  return isChanged ? undefined : value;
};

const message = wordsIn({ message: allWords });
const taintedBy = nameOfSource;
const entry = wordsIn({ title: allWords });
const meta = wordsExcept({ fullOutputPath: noWords, taintedBy });

const BY_TYPE = new Map<string, Words>([
  ['session', noWords],
  ['message', wordsIn({ message: wordsIn({ content: allWords, attached: allWords }) })],
  ['turn-start', wordsIn({ entry, taintedBy })],
  ['session-state', wordsIn({ entry })],
  ['recall', noWords],
  ['attached', wordsIn({ pictures: wordsIn({ name: allWords }) })],
  ['model-step', wordsIn({ text: allWords, native: unchanged })],
  ['tool-call', wordsIn({ call: wordsIn({ args: allWords }) })],
  ['permission-asked', noWords],
  ['permission', wordsIn({ granted: wordsIn({ rules: allWords, preview: allWords }) })],
  ['tool-result', wordsIn({ text: allWords, error: message, meta })],
  ['history-summary', wordsIn({ summary: allWords, taintedBy })],
  ['summary-refused', wordsIn({ reason: allWords })],
  ['turn-end', wordsIn({ error: message, taintedBy })],
  ['repair', noWords],
  ['compaction', noWords],
  ['redaction', noWords],
]);

const STRUCTURE = ['type', 'role', 'scope', 'id', 'turnId', 'callId', 'sessionKey', 'sessionId'];
const TIMES = ['timestamp', 'createdAt', 'updatedAt', 'at'];
/** Of a line that a later version wrote. */
const OF_OTHERS = wordsExcept(Object.fromEntries([...STRUCTURE, ...TIMES].map((name) => [name, noWords])));

export const transcriptWords: Words = (line, change) => {
  const { type } = (line ?? {}) as { type?: unknown };
  return ((typeof type === 'string' && BY_TYPE.get(type)) || OF_OTHERS)(line, change);
};

// Whether a question asks for what was true before and is no longer: "what did I do before?", 以前, "раньше". Only then are facts that were
// replaced found, and first.

const PAST: readonly RegExp[] = [
  /\b(before|previously|previous|formerly|former|use[d]? to|earlier|once|back then|at first|originally|original|initially|initial|in the past|no longer|prior|ex|anymore|any more)\b/i,
  /\b(old|last) (job|team|address|city|flat|apartment|home|house|car|phone|number|employer|company|role|title|school|plan|doctor|boss|manager|gym|bank|provider)\b/i,
  /\b(did|was|were|had) (\w+\s){0,8}(before|first|then|earlier|previously|originally)\b/i,
  /以前|之前|过去|過去|原来|原來|原先|先前|曾经|曾經|从前|從前|当初|當初|早先|前任|旧的|舊的|以往|那时|那時|换.{0,4}前|搬.{0,4}前|改.{0,4}前/,
  /(?<!\p{L})(раньше|ранее|прежде|прежн\p{L}*|бывш\p{L}*|до этого|до того|в прошлом|прошл\p{L}* (работ|команд|адрес|квартир|машин|должност|врач|номер|план)\p{L}*|когда-то|изначально|сначала|первоначальн\p{L}*|стар(?:ый|ая|ое|ые|ого|ой|ым|ую|ом)|тогда|больше не)(?!\p{L})/iu,
];

export function asksAboutPast(question: string): boolean {
  return PAST.some((pattern) => pattern.test(question));
}

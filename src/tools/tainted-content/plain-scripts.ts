// Programs that print what they are given can read other files when their script says so, or to run commands: `getline` of awk, `r` and
// `e` of sed, `import` of jq. A script is plain when it evidently does not; what is not understood is not plain.

/** One command of sed with its addresses, where it stays within what it was given. */
const SED_COMMAND = (() => {
  const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\\n])*/[IM]*)`;
  const range = String.raw`(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*)?!?\s*`;
  const part = String.raw`(?:\\[\s\S]|(?!\1)[^\\])*`;
  const replacing = String.raw`[sy]([^\w\s\\])${part}\1${part}\1[gpiIm\d]*`;
  const command = String.raw`(?:[=dDgGhHlnNpPxz}]|[qQ]\s*\d*|${replacing}|:\s*\w+|[btT]\s*\w*)`;
  return new RegExp(String.raw`\s*${range}(?:\{\s*|${command}\s*(?:[;\n]\s*|(?=\})|$))`, 'y');
})();

/** Longer ones are not looked into. */
const LONGEST_SCRIPT = 2_000;

export function isPlainSed(script: string): boolean {
  if (script.length > LONGEST_SCRIPT) return false;
  SED_COMMAND.lastIndex = 0;
  for (let at = 0; at < script.length; at = SED_COMMAND.lastIndex) if (!SED_COMMAND.test(script)) return false;
  return true;
}

/** Of programs whose first operand is a script. */
const BEYOND_INPUT: readonly (readonly [program: RegExp, script: RegExp])[] = [
  [/awk$/, /getline|system|\||ARG|@|FILENAME\s*=/],
  [/^jq$/, /\b(?:import|include|input_filename)\b/],
  [/^yq$/, /load|env/],
];
/** The script is in a file, or more than it is loaded. */
const LOADS: readonly (readonly [program: RegExp, flag: RegExp])[] = [
  [/awk$/, /^-[fEil]|^--(?:file|exec|include|load)/],
  [/^sed$/, /^-[a-zA-Z]*f|^--f/],
  [/^jq$/, /^-[a-zA-Z]*[fL]|^--from-file/],
  [/^yq$/, /^--from-file/],
];
const SCRIPT_FOLLOWS = /^-[nErsuz]*e$|^--e[a-z]*$/;
const HOLDS_SCRIPT = /^(?:-[nErsuz]*e|--e[a-z]*=)([\s\S]+)$/;

/** True where the program prints nothing but what it is given. `words`: after its name. */
export function hasPlainScript(name: string, words: readonly string[]): boolean {
  if (LOADS.some(([program, flag]) => program.test(name) && words.some((word) => flag.test(word)))) return false;
  if (name === 'sed') return sedScripts(words).every(isPlainSed);
  return BEYOND_INPUT.every(([program, script]) => !program.test(name) || !words.some((word) => script.test(word)));
}

function sedScripts(words: readonly string[]): string[] {
  const given = words.flatMap((word, index) => {
    const held = HOLDS_SCRIPT.exec(word)?.[1];
    return held ?? (SCRIPT_FOLLOWS.test(words[index - 1] ?? '') ? word : []);
  });
  return given.length > 0 ? given : words.filter((word) => !word.startsWith('-')).slice(0, 1);
}

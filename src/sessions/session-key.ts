const LONGEST_BYTES = 200;

/** Why a text cannot name a session (it also names a file), or undefined when it can. */
export function sessionKeyProblem(key: string): string | undefined {
  // Most keys are plain; the rule for every script costs a millisecond to compile.
  if (/^\w[\w.:@+=-]{0,99}$/.test(key)) return undefined;
  if (key === '') return 'it is empty';
  if (Buffer.byteLength(key) > LONGEST_BYTES) return `it is longer than ${LONGEST_BYTES} bytes`;
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.:@+=-]*$/u.test(key)) {
    return 'accepted are letters, digits and _ . : @ + = - and it starts with a letter, a digit or _';
  }
  return undefined;
}

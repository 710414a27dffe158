// The kinds of values a setting can have: how one is read from a flag or the environment, and what is accepted.

export interface Kind {
  /** What a person may write, in words. */
  accepted: string;
  /** All of them, where they can be counted. */
  options?: readonly string[];
  /** A value of it is never quoted whole. */
  mayHoldPassword?: boolean;
  isAccepted(value: unknown): boolean;
  /** From a flag, `key=value` or a variable. What does not fit is handed on for the check to name. */
  parse(text: string): unknown;
}

/** A secret is written out, or it is said where it is found. */
export type SecretSource = string | { env: string } | { file: string };

const LONGEST_TEXT = 4_096;

const isText = (value: unknown): value is string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_TEXT && !/[\x00-\x1f\x7f]/.test(value);

export function text(accepted = 'a non-empty text', pattern = /^/): Kind {
  return { accepted, isAccepted: (value) => isText(value) && pattern.test(value), parse: (written) => written };
}

export const onOff: Kind = {
  accepted: 'true or false',
  options: ['true', 'false'],
  isAccepted: (value) => typeof value === 'boolean',
  parse: (written) => ({ true: true, on: true, false: false, off: false })[written] ?? written,
};

export function count(least: number, most = Number.MAX_SAFE_INTEGER): Kind {
  return {
    accepted: most === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${least}` : `${least} to ${most}`,
    isAccepted: (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
    parse: (written) => (/^\d{1,15}$/.test(written) ? Number(written) : written),
  };
}

export function choice(options: readonly string[]): Kind {
  return {
    accepted: options.join(', '),
    options,
    isAccepted: (value) => options.includes(value as string),
    parse: (written) => written,
  };
}

export function list(accepted = 'a list of texts', pattern = /^/): Kind {
  return {
    accepted,
    isAccepted: (value) => Array.isArray(value) && value.every((item) => isText(item) && pattern.test(item)),
    parse: (written) => (written.trim() === '' ? [] : written.split(',').map((item) => item.trim())),
  };
}

export const address: Kind = {
  accepted: 'an http:// or https:// address',
  isAccepted: (value) => isText(value) && /^https?:\/\/\S+$/.test(value) && URL.canParse(value),
  parse: (written) => written,
};

export const database: Kind = {
  accepted: 'a postgres:// address',
  mayHoldPassword: true,
  isAccepted: (value) => isText(value) && /^postgres(?:ql)?:\/\/\S+$/.test(value) && URL.canParse(value),
  parse: (written) => written,
};

export function secret(shape = 'a text', pattern = /^/): Kind {
  return {
    accepted: `${shape}, {"env":"NAME"} or {"file":"path"}`,
    isAccepted: (value) => (typeof value === 'string' ? isText(value) && pattern.test(value) : isReference(value)),
    parse(written) {
      const [, where, name] = /^(env|file):(.*)$/s.exec(written) ?? [];
      return where === undefined ? written : { [where]: name };
    },
  };
}

export function isReference(value: unknown): value is Exclude<SecretSource, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [[where, name] = [], ...others] = Object.entries(value);
  if (others.length > 0 || !isText(name)) return false;
  return where === 'file' || (where === 'env' && /^[A-Za-z_]\w*$/.test(name));
}

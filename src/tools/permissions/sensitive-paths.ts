// Paths that no rule opens silently. Each entry says why. Names are compared without regard to case, because some file
// systems do so; a protected path is protected also while it does not exist.
import { PROTECTED_WRITES, type ReasonedPattern, RUN_BY_OTHERS, reasonAmong } from './executed-paths.ts';
import { isInLainclawHome, type Location, type PathContext } from './paths.ts';

/** `path`: where the call leads, absolute. `notByMode`: git would run it by itself, so that a person must allow it. */
export type Objection = { verdict: 'ask' | 'deny'; reason: string; path: string; notByMode?: true };

/** Reading here shows credentials to the model and its provider. */
const PROTECTED_READS: readonly ReasonedPattern[] = [
  [/(?:^|\/)\.(?:ssh|gnupg|aws|kube|docker|password-store)(?:\/|$)/, 'it holds keys or credentials'],
  [/(?:^|\/)\.config\/(?:gh|gcloud|op|hub)(?:\/|$)/, 'it holds credentials'],
  [/(?:^|\/)\.(?:netrc|git-credentials|pypirc|npmrc|pgpass|my\.cnf)$/, 'it holds credentials'],
  [/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/, 'it is a private key'],
  [/^\/proc\/[^/]+\/(?:environ|mem|maps|fd)(?:\/|$)/, 'it shows the secrets of a process'],
  [/^\/etc\/(?:shadow|gshadow|sudoers)/, 'it holds credentials'],
];

export function objectToWrite({ path, relative }: Location, context: PathContext): Objection | undefined {
  if (isInLainclawHome(path, context))
    return {
      verdict: 'deny',
      path,
      reason: `${path} belongs to Lainclaw itself: a tool may not change its own permissions`,
    };
  const byGit = context.obeyedByGit?.(path);
  const found =
    byGit ??
    reasonAmong(PROTECTED_WRITES, path) ??
    (context.tainted ? reasonAmong(RUN_BY_OTHERS, relative ?? path) : undefined);
  if (found === undefined) return undefined;
  return { verdict: 'ask', path, reason: `${path} is protected: ${found}`, ...(byGit && { notByMode: true }) };
}

export function objectToRead({ path }: Location, context: PathContext): Objection | undefined {
  if (isInLainclawHome(path, context)) return { verdict: 'ask', path, reason: `${path} belongs to Lainclaw itself` };
  const found = reasonAmong(PROTECTED_READS, path);
  return found === undefined ? undefined : { verdict: 'ask', path, reason: `${path} is protected: ${found}` };
}

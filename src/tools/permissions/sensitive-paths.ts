// Paths that no rule opens silently. Each entry says why. Names are compared without regard to case, because some file
// systems do so; a protected path is protected also while it does not exist.
import { reasonText } from '../../vocabulary/reasons.ts';
import { PROTECTED_WRITES, type ReasonedPattern, RUN_BY_OTHERS, reasonAmong } from './executed-paths.ts';
import { isInLainclawHome, type Location, type PathContext } from './paths.ts';

/** `path`: where the call leads, absolute. `notByMode`: git would run it by itself, so that a person must allow it. */
export type Objection = { verdict: 'ask' | 'deny'; reason: string; path: string; notByMode?: true };

/** Reading here shows credentials to the model and its provider. */
const PROTECTED_READS: readonly ReasonedPattern[] = [
  [/(?:^|\/)\.(?:ssh|gnupg|aws|kube|docker|password-store)(?:\/|$)/, reasonText('keys-or-credentials')],
  [/(?:^|\/)\.config\/(?:gh|gcloud|op|hub)(?:\/|$)/, reasonText('credentials')],
  [/(?:^|\/)\.(?:netrc|git-credentials|pypirc|npmrc|pgpass|my\.cnf)$/, reasonText('credentials')],
  [/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/, reasonText('private-key')],
  [/^\/proc\/[^/]+\/(?:environ|mem|maps|fd)(?:\/|$)/, reasonText('process-secrets')],
  [/^\/etc\/(?:shadow|gshadow|sudoers)/, reasonText('credentials')],
];

export function objectToWrite({ path, relative }: Location, context: PathContext): Objection | undefined {
  if (isInLainclawHome(path, context))
    return {
      verdict: 'deny',
      path,
      reason: reasonText('own-home-change', { path }),
    };
  const byGit = context.obeyedByGit?.(path);
  const found =
    byGit ??
    reasonAmong(PROTECTED_WRITES, path) ??
    (context.tainted ? reasonAmong(RUN_BY_OTHERS, relative ?? path) : undefined);
  if (found === undefined) return undefined;
  return {
    verdict: 'ask',
    path,
    reason: reasonText('protected', { path, because: found }),
    ...(byGit && { notByMode: true }),
  };
}

export function objectToRead({ path }: Location, context: PathContext): Objection | undefined {
  if (isInLainclawHome(path, context)) return { verdict: 'ask', path, reason: reasonText('own-home', { path }) };
  const found = reasonAmong(PROTECTED_READS, path);
  return found === undefined
    ? undefined
    : { verdict: 'ask', path, reason: reasonText('protected', { path, because: found }) };
}

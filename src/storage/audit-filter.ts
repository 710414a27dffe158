import type { AuditFilter, AuditLine } from './audit.ts';

export function fits(line: AuditLine, { kinds, what, who, session, outcome, since, until }: AuditFilter): boolean {
  if (kinds && !kinds.includes(line.kind)) return false;
  if (what !== undefined && !line.what.startsWith(what)) return false;
  if (who !== undefined && line.who !== who) return false;
  if (session !== undefined && line.session !== session) return false;
  if (outcome !== undefined && line.outcome !== outcome) return false;
  if (since !== undefined && line.at < since) return false;
  return until === undefined || line.at < until;
}

import type { Audit, AuditAction, AuditEntry } from '../audit/audit.ts';

export interface MemoryAudit extends Audit {
  readonly entries: (AuditEntry & { readonly platformId: string })[];
  of(action: AuditAction): AuditEntry[];
}

/** Keeps what was recorded, for a test to look at. */
export function memoryAudit(): MemoryAudit {
  const entries: MemoryAudit['entries'] = [];
  return {
    entries,
    of: (action) => entries.filter((entry) => entry.action === action),
    async record(platformId, entry) {
      entries.push({ ...entry, platformId });
    },
  };
}

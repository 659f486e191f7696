import type { DirectMessageLedger, ToolAllowances } from './tool.ts';

/** What a session remembers of its tools where there is no database: as long as the process lives. */

/** Direct messages one session may send to one person. */
export const DIRECT_MESSAGES_PER_RECIPIENT = 3;

export function memoryLedger(): DirectMessageLedger {
  const counts = new Map<string, number>();
  const pending = new Set<string>();
  const allowed = new Set<string>();
  return {
    async take(recipientId) {
      if (pending.has(recipientId)) return 'pending';
      const count = counts.get(recipientId) ?? 0;
      if (count >= DIRECT_MESSAGES_PER_RECIPIENT) return 'none_left';
      pending.add(recipientId);
      return {
        giveBack: async () => void pending.delete(recipientId),
        done: async () => {
          pending.delete(recipientId);
          counts.set(recipientId, count + 1);
        },
      };
    },
    isAllowed: async (recipientId) => allowed.has(recipientId),
    allow: async (recipientId) => void allowed.add(recipientId),
  };
}

export function memoryAllowances(): ToolAllowances {
  const tools = new Set<string>();
  return {
    has: async (tool) => tools.has(tool),
    allow: async (tool) => void tools.add(tool),
  };
}

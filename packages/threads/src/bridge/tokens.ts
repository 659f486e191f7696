import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '@postern/kit';

const TOKEN_BYTES = 32;

/** Who may talk over the bridge; only hashes of the tokens are kept. */
export interface SessionTokens {
  /** Makes the session's token; an earlier one of it ends. */
  issue(sessionId: string): string;
  revoke(sessionId: string): void;
  /** The session of a token, or null; how long it takes tells nothing about the tokens there are. */
  sessionOf(token: string): string | null;
}

export function sessionTokens(random: Random): SessionTokens {
  const hashes = new Map<string, Buffer>();
  return {
    issue(sessionId) {
      const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
      hashes.set(sessionId, digest(token));
      return token;
    },
    revoke: (sessionId) => void hashes.delete(sessionId),
    sessionOf(token) {
      const given = digest(token);
      let found: string | null = null;
      for (const [sessionId, hash] of hashes) if (timingSafeEqual(hash, given)) found = sessionId;
      return found;
    },
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

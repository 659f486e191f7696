/** Times ending in `_us` are microseconds since the epoch. Of tokens only the SHA-256, in hex, is stored. */

export interface LoginLinkTable {
  token_hash: string;
  created_us: number;
  expires_us: number;
}

export interface SessionTable {
  session_hash: string;
  created_us: number;
  expires_us: number;
}

export interface ConsoleTables {
  console_login_links: LoginLinkTable;
  console_sessions: SessionTable;
}

/** How to let a program read the messages, step by step for whoever runs it on a Mac. */
export const FULL_DISK_ACCESS =
  'Open System Settings, Privacy & Security, Full Disk Access, add the program that starts Postern (the terminal, or node itself for a service), switch it on, and start that program anew.';

/** Why the database of Messages cannot be read, for the operator. */
export class ChatDatabaseTrouble extends Error {
  override readonly name = 'ChatDatabaseTrouble';
  readonly kind: 'missing' | 'forbidden' | 'busy' | 'broken';

  constructor(kind: ChatDatabaseTrouble['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const BUSY = 5;
const LOCKED = 6;
const CANNOT_OPEN = 14;
const AUTHORIZATION_DENIED = 23;

/**
 * What went wrong, from an error of the file system or of SQLite. macOS answers EPERM to a program without Full
 * Disk Access, and SQLite then says "authorization denied" or that it cannot open the file.
 */
export function troubleOf(path: string, error: unknown): ChatDatabaseTrouble {
  if (error instanceof ChatDatabaseTrouble) return error;
  const { code, errcode } = error as { code?: string; errcode?: number };
  const result = errcode === undefined ? undefined : errcode & 0xff;
  const because = { cause: error };
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ChatDatabaseTrouble(
      'missing',
      `There is no ${path}. Messages makes it on a Mac that is signed in to iMessage; inbox.connectors.imessage.chatDb can name another.`,
      because,
    );
  }
  if (code === 'EPERM' || code === 'EACCES' || result === AUTHORIZATION_DENIED || result === CANNOT_OPEN) {
    return new ChatDatabaseTrouble(
      'forbidden',
      `${path} cannot be read: Postern needs Full Disk Access. ${FULL_DISK_ACCESS}`,
      because,
    );
  }
  if (result === BUSY || result === LOCKED)
    return new ChatDatabaseTrouble('busy', `${path} is locked by another program just now.`, because);
  return new ChatDatabaseTrouble(
    'broken',
    `${path} cannot be read as a database of Messages: ${(error as Error).message}`,
    because,
  );
}

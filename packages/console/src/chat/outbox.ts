import { asRecord, errorText } from '../api/http.ts';
import type { LocalMessage, NewAttachment, NewMessage, Person } from '../api/local.ts';
import type { StoredValue } from '../lib/storage.ts';

/**
 * Messages on their way out. One is shown at once, sent in order, and kept until the server has it: a
 * failure leaves it here with its reason, to be sent again, edited or dropped. Text outlives a reload;
 * files can't be kept by the browser, so a reload names the ones that have to be added again. Each goes out under
 * its own key, so that one whose answer was lost is not posted a second time.
 */

export interface OutgoingFile {
  readonly key: string;
  readonly file: File;
}

export interface Outgoing {
  readonly key: string;
  readonly channelId: string;
  readonly threadId: string | null;
  readonly replyTo: string | null;
  readonly user: Person;
  readonly text: string;
  readonly files: readonly OutgoingFile[];
  /** Names of files that a reload has lost. */
  readonly lostFiles: readonly string[];
  readonly state: 'sending' | 'failed';
  readonly error: string | null;
  readonly createdAt: string;
  /** The stored message, when its event came before the answer. */
  readonly arrivedAs: string | null;
}

export type NewOutgoing = Pick<Outgoing, 'channelId' | 'threadId' | 'replyTo' | 'user' | 'text' | 'files'>;

export interface OutboxPorts {
  /** Posts once for a key, however often it is called. */
  readonly send: (message: NewMessage, key: string) => Promise<LocalMessage>;
  readonly onSent: (message: LocalMessage) => void;
  readonly encode: (file: File) => Promise<NewAttachment>;
  readonly now: () => Date;
  readonly newKey: () => string;
  readonly stored: StoredValue<readonly Outgoing[]>;
}

export interface Outbox {
  subscribe(listener: () => void): () => void;
  read(): readonly Outgoing[];
  add(message: NewOutgoing): void;
  retry(key: string): void;
  drop(key: string): void;
  /** Tells of a message that came by the event stream. */
  arrived(message: LocalMessage): void;
}

export function createOutbox(ports: OutboxPorts): Outbox {
  let entries: readonly Outgoing[] = ports.stored.read();
  const listeners = new Set<() => void>();
  /** One chain a channel, so that messages arrive in the order they were written. */
  const chains = new Map<string, Promise<void>>();

  function set(next: readonly Outgoing[]): void {
    entries = next;
    ports.stored.write(entries.map(storable));
    for (const listener of listeners) listener();
  }

  function update(key: string, change: Partial<Outgoing>): void {
    set(entries.map((entry) => (entry.key === key ? { ...entry, ...change } : entry)));
  }

  function find(key: string): Outgoing | undefined {
    return entries.find((entry) => entry.key === key);
  }

  function remove(key: string): void {
    set(entries.filter((entry) => entry.key !== key));
  }

  function queue(entry: Outgoing): void {
    const before = chains.get(entry.channelId) ?? Promise.resolve();
    chains.set(
      entry.channelId,
      before.then(() => deliver(entry.key)),
    );
  }

  async function deliver(key: string): Promise<void> {
    const entry = find(key);
    if (entry === undefined || entry.state !== 'sending') return;
    try {
      const stored = await sendNow(entry);
      remove(key);
      ports.onSent(stored);
    } catch (error) {
      // The event may have told already what the lost answer could not.
      const current = find(key);
      if (current?.arrivedAs != null) return remove(key);
      update(key, { state: 'failed', error: errorText(error) });
    }
  }

  async function sendNow(entry: Outgoing): Promise<LocalMessage> {
    const attachments: NewAttachment[] = [];
    for (const { file } of entry.files) attachments.push(await ports.encode(file));
    const message: NewMessage = {
      channel_id: entry.channelId,
      user: entry.user,
      text: entry.text,
      ...(entry.threadId !== null && { thread_id: entry.threadId }),
      ...(entry.replyTo !== null && { reply_to: entry.replyTo }),
      ...(attachments.length > 0 && { attachments }),
    };
    return ports.send(message, entry.key);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => entries,
    add(message) {
      const entry: Outgoing = {
        ...message,
        key: ports.newKey(),
        lostFiles: [],
        state: 'sending',
        error: null,
        createdAt: ports.now().toISOString(),
        arrivedAs: null,
      };
      set([...entries, entry]);
      queue(entry);
    },
    retry(key) {
      const entry = find(key);
      if (entry === undefined || entry.state !== 'failed') return;
      update(key, { state: 'sending', error: null, lostFiles: [] });
      queue(entry);
    },
    drop: remove,
    arrived(message) {
      const entry = entries.find(
        (candidate) =>
          candidate.state === 'sending' && candidate.arrivedAs === null && isSame(candidate, message),
      );
      if (entry !== undefined) update(entry.key, { arrivedAs: message.id });
    },
  };
}

function isSame(entry: Outgoing, message: LocalMessage): boolean {
  return (
    message.channel_id === entry.channelId &&
    message.user.id === entry.user.id &&
    message.thread_id === entry.threadId &&
    message.reply_to === entry.replyTo &&
    message.text === entry.text &&
    message.attachments.length === entry.files.length
  );
}

/** Without the files, which storage can't hold; their names stay. */
function storable(entry: Outgoing): Outgoing {
  return {
    ...entry,
    files: [],
    lostFiles: [...entry.lostFiles, ...entry.files.map(({ file }) => file.name)],
  };
}

/** Reads what an earlier page left behind: every message in it was not sent, as far as anyone knows. */
export function parseOutbox(found: unknown): readonly Outgoing[] {
  if (!Array.isArray(found)) return [];
  return found.flatMap((item: unknown) => {
    const entry = asRecord(item);
    const user = asRecord(entry.user);
    const { key, channelId, text, createdAt } = entry;
    if (typeof key !== 'string' || typeof channelId !== 'string' || typeof text !== 'string') return [];
    if (typeof user.id !== 'string' || typeof user.name !== 'string' || typeof createdAt !== 'string')
      return [];
    const lostFiles: readonly unknown[] = Array.isArray(entry.lostFiles) ? entry.lostFiles : [];
    return [
      {
        key,
        channelId,
        text,
        createdAt,
        user: { id: user.id, name: user.name },
        threadId: typeof entry.threadId === 'string' ? entry.threadId : null,
        replyTo: typeof entry.replyTo === 'string' ? entry.replyTo : null,
        files: [],
        lostFiles: lostFiles.filter((name) => typeof name === 'string'),
        state: 'failed' as const,
        error: 'The page was closed before this was sent.',
        arrivedAs: null,
      },
    ];
  });
}

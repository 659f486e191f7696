import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@postern/kit';
import { imessageConnector } from '../../../connectors/imessage/connector.ts';
import type { SendTiming } from '../../../connectors/imessage/outbound/sender.ts';
import { decodeAttributedText } from '../../../connectors/imessage/typedstream/attributed-text.ts';
import type { ConnectorHarness, ConnectorTraits } from '../../connector-harness.ts';
import { ChatDb } from './chat-db.ts';
import { fakeOsascript } from './osascript-control.ts';

export const imessageTraits: ConnectorTraits = {
  edits: true,
  deletes: true,
  replies: false,
  files: true,
  history: false,
  missed: 450,
  faults: ['loseAnswerOfNextSend', 'loseNextFile', 'refuseCredentialsOfNextSend', 'refuseNextSend'],
};

/** The waits of tests; a run of the fake takes its time on a busy machine all the same. */
export const QUICK_SENDS: SendTiming = {
  tryMs: 10_000,
  pausesMs: [20, 20],
  lastTryMs: 24_000,
  verifyMs: 300,
  settleMs: 300,
  lookMs: 10,
};

const GROUP = 'iMessage;+;chat100200300';
const ANA = '+15551230001';
const BEN = 'ben@example.com';

/** A Mac's Messages: its database, which people write to past the connector, and its `osascript`. */
export async function imessageHarness(): Promise<ConnectorHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-imessage-'));
  const chatDb = join(folder, 'chat.db');
  const away = join(folder, 'away');
  await mkdir(away);
  const osascript = fakeOsascript(folder);
  let db = new ChatDb(chatDb);
  const group = db.groupChat(GROUP, [ANA, BEN], { name: 'Team' });
  const direct = db.directChat(ANA);
  let isFileLost = false;

  async function move(from: string, to: string): Promise<void> {
    db.close();
    for (const suffix of ['', '-wal', '-shm'])
      await rename(join(from, `chat.db${suffix}`), join(to, `chat.db${suffix}`)).catch(() => {});
    db = new ChatDb(join(to, 'chat.db'));
  }

  return {
    connect: () =>
      imessageConnector(
        { chatDb, osascript: osascript.command, region: 'US', groups: true, pollMs: 20 },
        systemClock,
        QUICK_SENDS,
      ),
    group: GROUP,
    direct: ANA,
    ana: { id: ANA, displayName: ANA },
    ben: { id: BEN, displayName: BEN },
    async say(person, text, { channelId = GROUP, replyTo = null, files = [] } = {}) {
      const isLost = isFileLost;
      if (files.length > 0) isFileLost = false;
      return db.message({
        chat: channelId === GROUP ? group : direct,
        from: person.id,
        text,
        replyTo,
        files: files.map(({ name, bytes }) => ({
          name,
          bytes,
          ...(isLost ? { path: `~/Library/Messages/Attachments/gone/${name}` } : {}),
        })),
      });
    },
    edit: async (guid, text) => db.edit(guid, text),
    delete: async (guid) => db.unsend(guid),
    async sent(channelId) {
      const chat = channelId === GROUP ? group : direct;
      const rows = db.all(
        `SELECT m.ROWID AS row, m.guid, m.attributedBody AS body FROM message m
         JOIN chat_message_join j ON j.message_id = m.ROWID WHERE j.chat_id = ? AND m.is_from_me = 1 ORDER BY m.ROWID`,
        chat,
      );
      return Promise.all(
        rows.map(async ({ row, guid, body }) => {
          const files = db.all(
            `SELECT filename, transfer_name AS name FROM attachment a
             JOIN message_attachment_join j ON j.attachment_id = a.ROWID WHERE j.message_id = ?`,
            Number(row),
          );
          return {
            platformId: String(guid),
            text: decodeAttributedText(body as Uint8Array).text?.replaceAll('\ufffc', '') ?? '',
            replyTo: null,
            files: await Promise.all(
              files.map(async ({ filename, name }) => ({
                name: String(name),
                bytes: await readFile(String(filename).replace('~/Library/Messages', folder)),
              })),
            ),
          };
        }),
      );
    },
    // Messages rings for nobody by such words; what is written has to be harmless all the same.
    ringsForAll: ({ text }) => /@(?:all|channel|here|everyone)\b/.test(text),
    goOffline: () => move(folder, away),
    goOnline: () => move(away, folder),
    faults: {
      loseAnswerOfNextSend: () => osascript.order('send-and-hang'),
      loseNextFile: () => {
        isFileLost = true;
      },
      refuseCredentialsOfNextSend: () => osascript.order('refuse-automation'),
      refuseNextSend: () => osascript.order('refuse', 'refuse', 'refuse'),
    },
    async stop() {
      db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

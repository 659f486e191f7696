import { systemClock } from '@postern/kit';
import {
  type TemplateMessage,
  type TemplatePlatform,
  TemplateRefusal,
  templateConnector,
} from '../../../connectors/template/connector.ts';
import type { ConnectorHarness, ConnectorTraits, HarnessPerson } from '../../connector-harness.ts';

/** The core alone: no edits, deletes, replies or files. */
export const templateTraits: ConnectorTraits = {
  edits: false,
  deletes: false,
  replies: false,
  files: false,
  history: true,
  missed: 250,
  faults: ['loseAnswerOfNextSend', 'refuseNextSend'],
};

const SELF = 'postern';
const GROUP = 'local:team';
const DIRECT = 'local:dm-ana';

/** The made-up platform in memory, which can be away, refuse, and lose its answers. */
export async function templateHarness(): Promise<ConnectorHarness> {
  const log: (TemplateMessage & { nonce?: string })[] = [];
  let isOffline = false;
  let next: 'refuse' | 'lose-answer' | null = null;
  const add = (author: { id: string; name: string }, channelId: string, text: string, nonce?: string) => {
    const message = {
      position: log.length + 1,
      room: channelId.replace(/^local:(?:dm-)?/, ''),
      isDirect: channelId === DIRECT,
      author,
      text,
      atMs: Date.now(),
      ...(nonce === undefined ? {} : { nonce }),
    };
    log.push(message);
    return message;
  };
  const platform: TemplatePlatform = {
    async read(after, limit) {
      if (isOffline) throw new Error('the platform is away');
      return log.slice(after, after + limit);
    },
    async post({ room, text, nonce }) {
      const order = next;
      next = null;
      if (order === 'refuse') throw new TemplateRefusal('The platform says no.');
      const channelId = room === 'ana' ? DIRECT : GROUP;
      const before = log.find((message) => message.nonce === nonce);
      const posted = before ?? add({ id: SELF, name: 'Postern' }, channelId, text, nonce);
      if (order === 'lose-answer') throw new Error('the answer was lost');
      return posted;
    },
  };
  const ana: HarnessPerson = { id: 'ana', displayName: 'Ana' };
  const ben: HarnessPerson = { id: 'ben', displayName: 'Ben' };
  return {
    connect: () => templateConnector(platform, { clock: systemClock, pollMs: 10, selfId: SELF }),
    group: GROUP,
    direct: DIRECT,
    ana,
    ben,
    async say({ id, displayName }, text, { channelId = GROUP } = {}) {
      return String(add({ id, name: displayName }, channelId, text).position);
    },
    async sent(channelId) {
      const own = log.filter(
        (message) => message.author.id === SELF && message.isDirect === (channelId === DIRECT),
      );
      return own.map(({ position, text }) => ({
        platformId: String(position),
        text,
        replyTo: null,
        files: [],
      }));
    },
    ringsForAll: ({ text }) => /@(?:all|channel|here|everyone)\b/.test(text),
    async goOffline() {
      isOffline = true;
    },
    async goOnline() {
      isOffline = false;
    },
    faults: {
      refuseNextSend: () => {
        next = 'refuse';
      },
      loseAnswerOfNextSend: () => {
        next = 'lose-answer';
      },
    },
    async stop() {},
  };
}

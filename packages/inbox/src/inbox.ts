import type { RawBody } from '@postern/kit';
import { type AgentSummary, listAgents } from './access/agents.ts';
import {
  type Allowed,
  type AllowlistEntry,
  type AllowRequest,
  allowSender,
  disallowSender,
  listAllowlist,
} from './access/allowlist.ts';
import { approvePairing, listPairings, offerPairing, type Pairing } from './access/pairing.ts';
import { quarantinePage, releaseMessage } from './access/quarantine.ts';
import { type AgentToken, createToken, listTokens, revokeToken } from './access/tokens.ts';
import { attachmentAnswer } from './attachments/serve.ts';
import { type Audience, verifyAttachmentSignature } from './attachments/urls.ts';
import { type Channel, listChannels, putChannel, showTyping } from './channels.ts';
import type { Connector, ConnectorHealth } from './connectors/connector.ts';
import { runConnector } from './connectors/runner.ts';
import type { InboxCaller, InboxScope } from './context.ts';
import type { Envelope } from './envelope.ts';
import { envelopesOf } from './messages/envelopes.ts';
import { markRead } from './messages/mark-read.ts';
import {
  type ConversationMessage,
  contextOf,
  conversation,
  listUnread,
  messageById,
} from './messages/reading.ts';
import type { UnreadFilter } from './messages/unread.ts';
import type { InboxPorts } from './ports.ts';
import { type SendAnswer, type SendRequest, sendMessage } from './send/send.ts';
import { type DeliveryView, listDeliveries, replayDelivery } from './webhooks/deliveries.ts';
import { runInboxWorkers } from './workers.ts';

/**
 * What operations work with. They know nothing else of the inbox, so that their records can be loaded where
 * there is no database, as in the stdio server.
 */
export interface Inbox {
  listUnread(
    filter: UnreadFilter,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<{ messages: Envelope[]; next_since: string | null }>;
  contextOf(request: {
    channelId: string;
    messageId: string;
    before: number;
    after: number;
  }): Promise<Envelope[]>;
  message(messageId: string): Promise<Envelope>;
  markRead(agentId: string, messageIds: readonly string[]): Promise<void>;
  send(
    request: SendRequest,
    caller: InboxCaller,
    key: string | null,
    signal: AbortSignal,
  ): Promise<{ answer: SendAnswer; replayed: boolean }>;
  showTyping(channelId: string, signal: AbortSignal): Promise<void>;

  quarantine(page: { limit: number; beforeMessageId: string | null }): Promise<Envelope[]>;
  release(messageId: string, actor: string): Promise<Envelope>;
  allowlist(): Promise<AllowlistEntry[]>;
  allow(request: AllowRequest): Promise<Allowed>;
  disallow(sender: { source: string; senderId: string; actor: string }): Promise<void>;
  pairings(): Promise<Pairing[]>;
  approvePairing(code: string, actor: string): Promise<Allowed>;
  agents(): Promise<AgentSummary[]>;
  tokens(): Promise<AgentToken[]>;
  createToken(request: {
    agentId: string;
    scopes: readonly InboxScope[];
    name: string;
    actor: string;
  }): Promise<AgentToken & { token: string }>;
  revokeToken(tokenId: string, actor: string): Promise<void>;

  channels(limit: number): Promise<Channel[]>;
  putChannel(request: {
    channelId: string;
    allowMassMentions: boolean | undefined;
    actor: string;
  }): Promise<Channel>;
  conversation(request: {
    channelId: string;
    beforeMessageId: string | null;
    limit: number;
  }): Promise<{ messages: ConversationMessage[]; next_before: string | null }>;

  attachment(
    attachmentId: string,
    options: { quarantined: boolean; range: string | undefined },
  ): Promise<RawBody>;
  attachmentAudience(attachmentId: string, expires: number, signature: string): Audience | null;
  webhookDeliveries(page: {
    state: 'pending' | 'done' | 'dead';
    limit: number;
    cursor: string | null;
  }): Promise<{ deliveries: DeliveryView[]; next_cursor: string | null }>;
  replayDelivery(deliveryId: string, actor: string): Promise<DeliveryView>;
}

export interface RunningInbox extends Inbox {
  start(): void;
  /** Stops connectors and workers; what they hold is given back. */
  stop(): Promise<void>;
  health(): { source: string; status: ConnectorHealth['status']; detail?: string }[];
}

/** Puts the inbox together from its ports and connectors; nothing runs before `start`. */
export function createInbox(ports: InboxPorts, connectors: readonly Connector[]): RunningInbox {
  const stop = new AbortController();
  const bySource = new Map<string, Connector>(connectors.map((connector) => [connector.source, connector]));
  const connectorOf = (source: string) => bySource.get(source);
  const waiting = { count: 0 };
  const runs: { source: string; done: Promise<void>; health(): ConnectorHealth }[] = [];
  let workers: Promise<void> | null = null;
  return {
    listUnread: (filter, waitSeconds, signal) => listUnread(ports, waiting, filter, waitSeconds, signal),
    contextOf: (request) => contextOf(ports, request),
    message: (messageId) => messageById(ports, messageId),
    markRead: (agentId, messageIds) => markRead(ports, agentId, messageIds),
    send: (request, caller, key, signal) => sendMessage(ports, connectorOf, request, caller, key, signal),
    showTyping: (channelId, signal) => showTyping(ports, connectorOf, channelId, signal),

    quarantine: async (page) =>
      envelopesOf(ports.store.db, await quarantinePage(ports, page), ports, 'operator'),
    async release(messageId, actor) {
      const row = await releaseMessage(ports, messageId, actor);
      const [envelope] = await envelopesOf(ports.store.db, [row], ports, 'operator');
      if (!envelope) throw new Error('one row makes one envelope');
      return envelope;
    },
    allowlist: () => listAllowlist(ports),
    allow: (request) => allowSender(ports, request),
    disallow: (sender) => disallowSender(ports, sender),
    pairings: () => listPairings(ports),
    approvePairing: (code, actor) => approvePairing(ports, code, actor),
    agents: () => listAgents(ports),
    tokens: () => listTokens(ports),
    createToken: (request) => createToken(ports, request),
    revokeToken: (tokenId, actor) => revokeToken(ports, tokenId, actor),

    channels: (limit) => listChannels(ports, limit),
    putChannel: (request) => putChannel(ports, request),
    conversation: (request) => conversation(ports, request),

    attachment: (attachmentId, options) => attachmentAnswer(ports, attachmentId, options),
    attachmentAudience: (attachmentId, expires, signature) =>
      verifyAttachmentSignature(ports, attachmentId, expires, signature),
    webhookDeliveries: (page) => listDeliveries(ports, page),
    replayDelivery: (deliveryId, actor) => replayDelivery(ports, deliveryId, actor),

    start() {
      for (const connector of connectors) {
        const run = runConnector(
          ports,
          connector,
          (tx, stranger) => offerPairing(tx, ports, stranger),
          stop.signal,
        );
        runs.push({ source: connector.source, ...run });
      }
      workers = runInboxWorkers(ports, connectorOf, stop.signal).catch((error: unknown) => {
        ports.log.error({ err: error }, 'webhooks and pairing codes are no longer sent; restart the hub');
      });
    },
    async stop() {
      stop.abort();
      await Promise.all([...runs.map((run) => run.done), workers]);
    },
    health: () => runs.map((run) => ({ source: run.source, ...run.health() })),
  };
}

import type { InboxOperation } from '../../../../packages/inbox/src/index.ts';
import {
  fakeConnector,
  type InboxBench,
  type InboxHub,
  inboundFile,
  inboxBench,
  inboxHub,
  messageEvent,
} from '../../../../packages/inbox/src/testing/index.ts';
import { WEBHOOK_TOPIC } from '../../../../packages/inbox/src/webhooks/enqueue.ts';
import { buryJob, claimJobs } from '../../../../packages/store/src/index.ts';

/** One real call of each operation of the inbox: what is there, and the call's fields. */

export interface InboxStage {
  readonly bench: InboxBench;
  readonly hub: InboxHub;
}

type Arrange = (stage: InboxStage) => Promise<Record<string, unknown>> | Record<string, unknown>;

const DESK = { id: 'local:desk', type: 'group', name: 'desk' } as const;
const ANA = { id: 'ana', displayName: 'Ana Lima' };

/** An inbox with pairing and a webhook, on a platform that shows who is typing. */
export async function inboxStage(): Promise<InboxStage> {
  const bench = await inboxBench('sqlite', {
    config: {
      pairing: 'on',
      webhooks: [{ url: 'https://hooks.example/postern', secrets: [`whsec_${'a'.repeat(32)}`] }],
    },
  });
  const platform = fakeConnector();
  const typing = fakeConnector({
    capabilities: { ...platform.capabilities, typing: true },
    typing: () => Promise.resolve(),
  });
  return { bench, hub: inboxHub(bench, typing) };
}

/** Ana, who may write, asks something; gives the id of her message. */
async function question(stage: InboxStage): Promise<string> {
  await stage.bench.allow(ANA.id, { displayName: ANA.displayName });
  return said(stage, 'When does the shop open?');
}

async function said({ bench }: InboxStage, text: string): Promise<string> {
  const event = messageEvent({ channel: DESK, sender: ANA, text });
  await bench.accept(event);
  return (await bench.stored(event.platformId)).message_id;
}

/** Bo, whom nobody knows, writes; gives the id of the message in quarantine. */
async function stranger({ bench }: InboxStage): Promise<string> {
  const event = messageEvent({
    channel: { id: 'local:dm-bo', type: 'dm', name: 'bo' },
    sender: { id: 'bo', displayName: 'Bo' },
    text: 'Hello, is anybody there?',
  });
  await bench.accept(event);
  return (await bench.stored(event.platformId)).message_id;
}

async function asked<Body>({ hub }: InboxStage, url: string): Promise<Body> {
  return (await hub.admin({ method: 'GET', url })).json() as Body;
}

async function deadDelivery(stage: InboxStage): Promise<string> {
  await question(stage);
  const { store } = stage.bench.ports;
  for (const job of await claimJobs(store, WEBHOOK_TOPIC, { limit: 10, leaseMs: 1_000 })) {
    await buryJob(store.db, job, { error: 'HTTP 410', status: 410 });
  }
  const { deliveries } = await asked<{ deliveries: { id: string }[] }>(
    stage,
    '/webhooks/deliveries?state=dead',
  );
  return deliveries[0]?.id ?? '';
}

async function attachmentId({ bench }: InboxStage): Promise<string> {
  await bench.allow(ANA.id, { displayName: ANA.displayName });
  const event = messageEvent({
    channel: DESK,
    sender: ANA,
    text: 'The list',
    attachments: [inboundFile('list.txt', 'milk, bread')],
  });
  await bench.accept(event);
  const row = await bench.ports.store.db
    .selectFrom('inbox_attachments')
    .select('attachment_id')
    .executeTakeFirstOrThrow();
  return row.attachment_id;
}

async function token({ hub }: InboxStage): Promise<string> {
  const made = await hub.admin({
    method: 'POST',
    url: '/agents/tokens',
    payload: { agent_id: 'assistant', scopes: ['read', 'send'] },
  });
  return (made.json() as { token_id: string }).token_id;
}

async function pairingCode(stage: InboxStage): Promise<string> {
  await stranger(stage);
  const { pairings } = await asked<{ pairings: { code: string }[] }>(stage, '/pairings');
  return pairings[0]?.code ?? '';
}

const about = (
  make: (stage: InboxStage) => Promise<unknown>,
  input: Record<string, unknown> = {},
): Arrange => {
  return async (stage) => {
    await make(stage);
    return input;
  };
};

const examples: Readonly<Record<string, Arrange>> = {
  list_unread_messages: about(question, { limit: 20 }),
  get_message_context: async (stage) => {
    await question(stage);
    const around_message_id = await said(stage, 'And on Sunday?');
    return { channel_id: DESK.id, around_message_id, before: 5, after: 0 };
  },
  send_message: async (stage) => ({
    channel_id: DESK.id,
    text: 'At nine.',
    reply_to: await question(stage),
  }),
  mark_read: async (stage) => ({ message_ids: [await question(stage)] }),

  get_message: async (stage) => ({ message_id: await question(stage) }),
  get_attachment: async (stage) => ({ attachment_id: await attachmentId(stage) }),
  show_typing: about(question, { channel_id: DESK.id }),

  list_channels: about(question),
  put_channel: about(question, { channel_id: DESK.id, allow_mass_mentions: true }),
  list_channel_messages: about(question, { channel_id: DESK.id, limit: 20 }),

  list_agents: about(async (stage) => {
    await question(stage);
    await stage.hub.call({ method: 'GET', url: '/messages/unread' });
  }),
  create_agent_token: () => ({ agent_id: 'assistant', scopes: ['read', 'send'] }),
  list_agent_tokens: about(token),
  revoke_agent_token: async (stage) => ({ token_id: await token(stage) }),

  list_quarantine: about(stranger),
  release_message: async (stage) => ({ message_id: await stranger(stage) }),
  list_allowlist: about(question),
  put_allowlist_entry: about(stranger, {
    source: 'local',
    sender_id: 'bo',
    display_name: 'Bo',
    release: true,
  }),
  delete_allowlist_entry: about(question, { source: 'local', sender_id: ANA.id }),
  list_pairings: about(stranger),
  approve_pairing: async (stage) => ({ code: await pairingCode(stage) }),

  list_webhook_deliveries: about(question, { state: 'pending' }),
  replay_webhook_delivery: async (stage) => ({ delivery_id: await deadDelivery(stage) }),
};

/** Whether there is an example of it. */
export function arrangementOf({ name }: InboxOperation): Arrange | undefined {
  return Object.hasOwn(examples, name) ? examples[name] : undefined;
}

import type { Campaign, MailList, Subscriber, SubscriberStatus } from '../../../src/api/campaigns.ts';
import { ago } from '../seed.ts';
import type { FakePostern } from '../server.ts';
import { makeDomain, noCounts } from './mailing.ts';
import { setCounts } from './state.ts';

/** A shop with a history: what the pictures and most tests of the campaigns begin with. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const projectId = 'prj_00000000000000000000000SHP';
export const newsId = 'lst_0000000000000000000000NEWS';
export const draftId = 'cmp_000000000000000000000DRAFT';
export const finishedId = 'cmp_00000000000000000000000FNS';
export const runningId = 'cmp_00000000000000000000000RUN';
export const capturedId = 'cap_000000000000000000000MA1';

const at = (before: number) => ({
  created_at: ago(before).toISOString(),
  updated_at: ago(before).toISOString(),
});

export const letter = `<!doctype html>
<html><head><style>h1 { color: rgb(11, 110, 95); } @media (max-width: 480px) { h1 { font-size: 20px; } }</style></head>
<body style="font-family: sans-serif">
<h1>Hello {{ subscriber.name | default: "there" }}</h1>
<p style="background-color: rgb(255, 245, 214)">The autumn paper is in.</p>
<img src="https://pictures.example.com/paper.png" alt="A stack of paper" width="320" height="120">
<p>You live in {{ subscriber.attributes.city }}. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
</body></html>`;

export function seedCampaigns({ campaigns: desk }: FakePostern): void {
  const { state } = desk;
  state.projects.push({
    id: projectId,
    ...at(90 * DAY),
    name: 'Paper & Ink',
    slug: 'paper-and-ink',
    sender_address: 'Rua das Flores 12, 1200-195 Lisbon',
    deleted_at: null,
  });
  const list = (id: string, name: string, before: number, more: Partial<MailList> = {}): void => {
    state.lists.push({
      id,
      ...at(before),
      project_id: projectId,
      name,
      description: null,
      opt_in: 'single',
      from: null,
      public: false,
      counts: { subscribed: 0, unconfirmed: 0, unsubscribed: 0, bounced: 0, complained: 0 },
      deleted_at: null,
      ...more,
    });
  };
  list(newsId, 'News', 84 * DAY, {
    description: 'New papers, twice a month',
    from: { name: 'Paper & Ink', email: 'news@paper.example' },
    public: true,
  });
  list('lst_0000000000000000000000CLUB', 'Calligraphy club', 30 * DAY, { opt_in: 'double' });

  const people: readonly (readonly [string, string, SubscriberStatus, string, number])[] = [
    ['ana.lima@example.org', 'Ana Lima', 'subscribed', 'Lisbon', 80],
    ['bo@example.net', 'Bo Sørensen', 'subscribed', 'Århus', 71],
    ['chiara@example.com', 'Chiara Conti', 'subscribed', 'Torino', 52],
    ['dmitri@example.org', 'Dmitri Volkov', 'unsubscribed', 'Riga', 50],
    ['eun-ji@example.com', '이은지', 'subscribed', 'Seoul', 33],
    ['farid@example.net', 'Farid Haddad', 'bounced', 'Tunis', 21],
    ['grace@example.org', 'Grace Obi', 'subscribed', 'Lagos', 12],
    ['hana@example.com', 'Hana Novák', 'subscribed', 'Brno', 3],
  ];
  for (const [email, name, status, city, days] of people) {
    const subscriber: Subscriber = {
      id: desk.newId('sub'),
      ...at(days * DAY),
      project_id: projectId,
      list_id: newsId,
      email,
      name,
      attributes: { city, orders: days % 7 },
      status,
      consent: { source: 'import', at: ago(days * DAY).toISOString(), evidence: 'Form in the shop' },
    };
    state.subscribers.push(subscriber);
  }
  setCounts(desk, newsId);

  const campaign = (id: string, name: string, more: Partial<Campaign>): void => {
    state.campaigns.push({
      id,
      ...at(2 * DAY),
      project_id: projectId,
      name,
      list_ids: [newsId],
      segment_id: null,
      from: { name: 'Paper & Ink', email: 'news@paper.example' },
      reply_to: null,
      subject: `${name} is here`,
      preheader: null,
      template_id: null,
      html: letter,
      text: null,
      tracking: { opens: 'person', clicks: 'person' },
      send_at: null,
      max_lateness_seconds: 3_600,
      strict_variables: false,
      rate_per_second: null,
      state: 'draft',
      counts: noCounts,
      launched_at: null,
      finished_at: null,
      ...more,
    });
  };
  campaign(finishedId, 'Summer paper', {
    state: 'finished',
    launched_at: ago(2 * DAY).toISOString(),
    finished_at: ago(2 * DAY - 2 * HOUR).toISOString(),
    counts: { ...noCounts, audience: 12_480, sent: 12_011, failed: 164, skipped: 303, unknown: 2 },
  });
  campaign(runningId, 'Ink of the month', {
    state: 'running',
    launched_at: ago(10 * 60_000).toISOString(),
    counts: {
      ...noCounts,
      audience: 9_120,
      sent: 4_310,
      pending: 4_600,
      deferred: 122,
      failed: 41,
      skipped: 47,
    },
  });
  campaign(draftId, 'Autumn paper', {});
  state.reports.set(finishedId, {
    reasons: [
      { state: 'skipped', reason: 'unsubscribed', total: 288 },
      { state: 'failed', reason: 'hard_bounce', total: 131 },
      { state: 'failed', reason: 'soft_bounce', total: 33 },
      { state: 'skipped', reason: 'suppressed', total: 15 },
    ],
    opens: { total: 6_202, people: 4_114 },
    clicks: { total: 1_377, people: 1_020 },
    bounces: { hard: 131, soft: 33 },
    links: [
      { url: 'https://paper.example/summer', total: 1_120, people: 870 },
      { url: 'https://paper.example/washi', total: 257, people: 210 },
    ],
    timeline: {
      step_seconds: 3_600,
      points: Array.from({ length: 40 }, (_, hour) => ({
        at: ago(2 * DAY - hour * HOUR).toISOString(),
        sent: hour === 0 ? 9_200 : hour === 1 ? 2_811 : 0,
        deferred: hour === 1 ? 12 : 0,
        failed: hour === 0 ? 120 : hour === 1 ? 44 : 0,
        failures:
          hour === 0
            ? [
                { reason: 'hard_bounce', total: 98 },
                { reason: 'soft_bounce', total: 22 },
              ]
            : hour === 1
              ? [{ reason: 'hard_bounce', total: 44 }]
              : [],
        opens: Math.round(900 * Math.exp(-hour / 7)),
        clicks: Math.round(200 * Math.exp(-hour / 7)),
      })),
    },
  });
  for (const [index, { id, email }] of state.subscribers.entries()) {
    const failed = index === 5;
    state.deliveries.push({
      id: desk.newId('dlv'),
      campaign_id: finishedId,
      subscriber_id: id,
      email,
      state: failed ? 'failed' : 'sent',
      reason: failed ? 'hard_bounce' : null,
      attempts: 1,
      smtp_reply: failed ? '550 5.1.1 no such user here' : '250 2.0.0 OK',
      message_id: null,
      sent_at: failed ? null : ago(2 * DAY).toISOString(),
    });
  }

  state.domains.push(makeDomain(desk.newId('dom'), projectId, 'paper.example'));
  state.suppressions.push({
    id: desk.newId('sup'),
    project_id: projectId,
    email: 'farid@example.net',
    reason: 'hard_bounce',
    source: 'delivery',
    note: null,
    created_at: ago(2 * DAY).toISOString(),
  });
  const key = {
    rate_per_minute: null,
    expires_at: null,
    revoked_at: null,
    created_at: ago(20 * DAY).toISOString(),
  };
  state.keys.push(
    {
      ...key,
      id: 'bootstrap',
      kind: 'admin',
      project_id: null,
      name: 'bootstrap',
      prefix: 'padm_7',
      scopes: [],
      last_used_at: ago(HOUR).toISOString(),
    },
    {
      ...key,
      id: desk.newId('key'),
      kind: 'api',
      project_id: projectId,
      name: 'newsletter agent',
      prefix: 'pst_x81',
      scopes: ['lists:read', 'campaigns:read', 'campaigns:write', 'reports:read'],
      last_used_at: null,
    },
  );
  state.segments.push({
    id: desk.newId('seg'),
    ...at(9 * DAY),
    project_id: projectId,
    name: 'Lives in Lisbon',
    condition: { all: [{ field: 'attributes.city', op: 'eq', value: 'Lisbon' }] },
  });
  state.templates.push({
    id: desk.newId('tpl'),
    ...at(9 * DAY),
    project_id: projectId,
    name: 'House letter',
    subject: 'News from the paper shop',
    html: letter,
    mjml: null,
    text: null,
  });
  state.webhooks.push({
    id: 'whk_0000000000000000000000HOOK',
    ...at(9 * DAY),
    project_id: projectId,
    url: 'https://shop.example/hooks/mail',
    events: ['delivery.bounced', 'campaign.finished'],
    enabled: true,
  });
  state.webhookDeliveries.push({
    id: desk.newId('dlv'),
    webhook_id: 'whk_0000000000000000000000HOOK',
    event: 'campaign.finished',
    state: 'dead',
    attempts: 7,
    response_status: 503,
    next_attempt_at: null,
    created_at: ago(DAY).toISOString(),
  });
  state.subscriberEvents.set(state.subscribers[0]?.id ?? '', [
    {
      id: 'evt_000000000000000000000000E2',
      type: 'clicked',
      campaign_id: finishedId,
      campaign_name: 'Summer paper',
      details: { link: 0 },
      at: ago(DAY).toISOString(),
    },
    {
      id: 'evt_000000000000000000000000E1',
      type: 'opened',
      campaign_id: finishedId,
      campaign_name: 'Summer paper',
      details: {},
      at: ago(DAY + HOUR).toISOString(),
    },
  ]);
  state.captured.push({
    id: capturedId,
    from: 'bounce+x@bounce.paper.example',
    to: 'ana.lima@example.org',
    subject: 'Olá, the summer paper',
    size: 2_310,
    created_at: ago(2 * DAY).toISOString(),
    raw: rawMail,
  });
}

const rawMail = [
  'From: =?utf-8?q?Paper_=26_Ink?= <news@paper.example>',
  'To: "Ana Lima" <ana.lima@example.org>',
  'Subject: =?utf-8?B?T2zDoSwgdGhlIHN1bW1lciBwYXBlcg==?=',
  'Date: Sat, 29 Nov 2026 10:00:00 +0000',
  'Message-ID: <cmp.sub@paper.example>',
  'List-Unsubscribe: <https://mail.example.org/p/u/token>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary="=_b1"',
  '',
  '--=_b1',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Ol=C3=A1 Ana, the summer paper is =',
  'here.',
  '--=_b1',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<style>h1 { color: rgb(11, 110, 95) }</style><h1 style=3D"font-size: 22px">Ol=C3=A1 Ana</h1>',
  '<p onclick=3D"alert(1)">The summer paper is here.</p><script>document.title =3D "owned"</script>',
  '<img src=3D"https://pictures.example.com/open.gif" width=3D"1" height=3D"1">',
  '--=_b1--',
  '',
].join('\r\n');

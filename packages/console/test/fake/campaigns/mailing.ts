import type { Campaign, CampaignFields, SendingDomain, Webhook } from '../../../src/api/campaigns.ts';
import type { FieldViolation } from '../../../src/api/http.ts';
import { type FakeRoute, noContent, ok, route } from '../http.ts';
import {
  addressFault,
  type FakeCampaignsDesk,
  found,
  invalid,
  isDryRun,
  made,
  nowText,
  pageFields,
  pageOf,
  projectOf,
  replace,
  requireName,
  unready,
  within,
} from './state.ts';

/** Campaigns, what leaves, and what stands around it. */

export const noCounts = {
  audience: 0,
  pending: 0,
  submitted: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  cancelled: 0,
} as const;

const emptyFields: Omit<CampaignFields, 'name'> = {
  list_ids: [],
  segment_id: null,
  from: null,
  reply_to: null,
  subject: null,
  preheader: null,
  template_id: null,
  html: null,
  text: null,
  tracking: { opens: 'off', clicks: 'off' },
  send_at: null,
  max_lateness_seconds: 3_600,
  strict_variables: false,
  rate_per_second: null,
};

const emptyReport = {
  reasons: [],
  opens: { total: 0, people: 0 },
  clicks: { total: 0, people: 0 },
  bounces: { hard: 0, soft: 0 },
  links: [],
  timeline: { step_seconds: 60, points: [] },
};

export function mailingRoutes(desk: FakeCampaignsDesk): readonly FakeRoute[] {
  const { state, newId } = desk;
  const fields = ['project_id', 'name', ...Object.keys(emptyFields)];

  function check(body: Readonly<Record<string, unknown>>): void {
    const from = body.from as { email?: unknown } | null | undefined;
    const faults: FieldViolation[] = [
      ...(from == null ? [] : addressFault('from.email', from.email)),
      ...(body.reply_to == null ? [] : addressFault('reply_to', body.reply_to)),
    ];
    if (body.name === '') {
      faults.push({ field: 'name', code: 'too_short', message: 'must have at least 1 character, found 0' });
    }
    if (faults.length > 0) throw invalid(faults);
  }

  const bodyOf = (campaign: Campaign) =>
    campaign.html ?? state.templates.find(({ id }) => id === campaign.template_id)?.html ?? campaign.text;

  function members(campaign: Campaign) {
    return state.subscribers.filter((one) => campaign.list_ids.includes(one.list_id));
  }

  function obstacles(campaign: Campaign): FieldViolation[] {
    const faults: FieldViolation[] = [];
    const add = (field: string, code: string, message: string) => faults.push({ field, code, message });
    if (!members(campaign).some(({ status }) => status === 'subscribed')) {
      const why =
        campaign.list_ids.length === 0
          ? 'is empty: choose a list at least'
          : 'leads to nobody who may be mailed';
      add('list_ids', 'no_recipients', why);
    }
    const hasSender = state.lists.some((list) => campaign.list_ids.includes(list.id) && list.from !== null);
    if (campaign.from === null && !hasSender) {
      add('from', 'invalid_state', 'is missing, and none of the lists has one');
    }
    if (campaign.subject === null) add('subject', 'template_error', 'is empty');
    const body = bodyOf(campaign);
    if (body === null) add('html', 'template_error', 'is empty, and so is text: there is nothing to send');
    else if (!/\{\{\s*unsubscribe_url\s*\}\}/.test(body)) {
      add('html', 'unsubscribe_link_missing', 'must have {{ unsubscribe_url }} in it');
    }
    return faults;
  }

  function effectOf(verb: string, campaign: Campaign): string {
    const all = members(campaign);
    const left = all.filter(({ status }) => status !== 'subscribed');
    const reasons = Object.entries(Object.groupBy(left, ({ status }) => status)).map(
      ([status, people]) => `${people.length} ${status}`,
    );
    const out = left.length === 0 ? 'nobody is left out' : `${left.length} left out: ${reasons.join(', ')}`;
    return `${verb} "${campaign.name}" to ${all.length - left.length} recipients now; ${out}.`;
  }

  function render(text: string | null, person: { name: string | null; attributes: object | null }) {
    if (text === null) return null;
    const broken = /\{\{(?![^}]*\}\})/.exec(text);
    if (broken !== null) {
      const message = 'output "{{" not closed (line 1, column 1)';
      throw unready([{ field: 'html', code: 'template_error', message }]);
    }
    return text.replace(/\{\{\s*([\w.]+)[^}]*\}\}/g, (_, path: string) => {
      if (path === 'subscriber.name') return person.name ?? 'there';
      if (path.endsWith('_url')) return 'https://mail.example.org/p/sample';
      if (path === 'list.name') return 'News';
      const key = /^subscriber\.attributes\.(\w+)$/.exec(path)?.[1];
      return key === undefined ? '' : String((person.attributes as Record<string, unknown>)?.[key] ?? '');
    });
  }

  const campaign = (request: Parameters<typeof projectOf>[1], id: string | undefined) =>
    within(state.campaigns, projectOf(desk, request), id);

  const campaigns: readonly FakeRoute[] = [
    route('GET', '/api/v1/campaigns', { query: [...pageFields, 'state'] }, (request) => {
      const project = projectOf(desk, request);
      return pageOf(
        state.campaigns.filter((one) => one.project_id === project.id),
        request,
      );
    }),
    route('POST', '/api/v1/campaigns', { body: fields }, (request) => {
      const project = projectOf(desk, request);
      check(request.body);
      const draft: Campaign = {
        ...emptyFields,
        ...request.body,
        ...made(newId('cmp')),
        name: requireName(request.body),
        project_id: project.id,
        state: 'draft',
        counts: noCounts,
        launched_at: null,
        finished_at: null,
      };
      state.campaigns.push(draft);
      return ok(draft, 201);
    }),
    route('GET', '/api/v1/campaigns/:id', { query: ['project_id'] }, (request, [id]) =>
      ok(campaign(request, id)),
    ),
    route('PATCH', '/api/v1/campaigns/:id', { body: fields }, (request, [id]) => {
      const before = campaign(request, id);
      check(request.body);
      return ok(
        replace(state.campaigns, { ...before, ...request.body, state: 'draft', updated_at: nowText() }),
      );
    }),
    route('DELETE', '/api/v1/campaigns/:id', { query: ['project_id'] }, (request, [id]) => {
      const before = campaign(request, id);
      state.campaigns = state.campaigns.filter((one) => one !== before);
      return noContent;
    }),
    route('POST', '/api/v1/campaigns/:id/duplicate', { body: ['project_id'] }, (request, [id]) => {
      const before = campaign(request, id);
      const copy: Campaign = {
        ...before,
        ...made(newId('cmp')),
        name: `${before.name} (copy)`,
        state: 'draft',
        counts: noCounts,
        launched_at: null,
        finished_at: null,
      };
      state.campaigns.push(copy);
      return ok(copy, 201);
    }),
    route(
      'POST',
      '/api/v1/campaigns/:id/preview',
      { body: ['project_id', 'subscriber_id'] },
      (request, [id]) => {
        const before = campaign(request, id);
        const person = state.subscribers.find((one) => one.id === request.body.subscriber_id) ?? {
          name: 'Alex Sample',
          attributes: {},
        };
        const template = state.templates.find((one) => one.id === before.template_id);
        const html = render(before.html ?? template?.html ?? null, person);
        const subject = render(before.subject ?? template?.subject ?? '', person) ?? '';
        return ok({
          subject,
          html,
          text: render(before.text, person) ?? html?.replace(/<[^>]+>/g, '').trim() ?? null,
          headers: { From: before.from?.email ?? '', Subject: subject },
          warnings: subject === '' ? ['subject: it is empty'] : [],
        });
      },
    ),
    route(
      'POST',
      '/api/v1/campaigns/:id/test',
      { body: ['project_id', 'to', 'subscriber_id'] },
      (request, [id]) => {
        campaign(request, id);
        const to = [request.body.to].flat();
        const faults = to.flatMap((address, index) => addressFault(`to.${index}`, address));
        if (faults.length > 0) throw invalid(faults);
        state.tests.push(...to.map(String));
        return ok({ sent_to: to });
      },
    ),
    route(
      'POST',
      '/api/v1/campaigns/:id/launch',
      { query: ['dry_run'], body: ['project_id'] },
      (request, [id]) => {
        const before = campaign(request, id);
        if (before.state === 'paused') {
          const open = before.counts.pending + before.counts.deferred;
          const rest = `"${before.name}" with what is still open: ${open} recipients.`;
          if (isDryRun(request))
            return ok({ outcome: 'would_resume', effect: `Would resume ${rest}`, campaign: before });
          const after = replace(state.campaigns, { ...before, state: 'running' });
          return ok({ outcome: 'launched', effect: `Resumed ${rest}`, campaign: after });
        }
        const faults = obstacles(before);
        if (faults.length > 0) throw unready(faults);
        if (isDryRun(request)) {
          return ok({
            outcome: 'would_launch',
            effect: effectOf('Would launch', before),
            campaign: before,
          });
        }
        const all = members(before);
        const going = all.filter(({ status }) => status === 'subscribed');
        const after = replace<Campaign>(state.campaigns, {
          ...before,
          state: before.send_at === null ? 'running' : 'scheduled',
          launched_at: nowText(),
          counts: {
            ...noCounts,
            audience: all.length,
            pending: going.length,
            skipped: all.length - going.length,
          },
        });
        for (const one of all) {
          state.deliveries.push({
            id: newId('dlv'),
            campaign_id: before.id,
            subscriber_id: one.id,
            email: one.email,
            state: one.status === 'subscribed' ? 'pending' : 'skipped',
            reason: one.status === 'subscribed' ? null : one.status,
            attempts: 0,
            smtp_reply: null,
            message_id: null,
            sent_at: null,
          });
        }
        return ok({ outcome: 'launched', effect: effectOf('Launched', before), campaign: after });
      },
    ),
    route('POST', '/api/v1/campaigns/:id/pause', { body: ['project_id'] }, (request, [id]) =>
      ok(replace(state.campaigns, { ...campaign(request, id), state: 'paused' as const })),
    ),
    route(
      'POST',
      '/api/v1/campaigns/:id/cancel',
      { query: ['dry_run'], body: ['project_id'] },
      (request, [id]) => {
        const before = campaign(request, id);
        const { counts } = before;
        const open = counts.pending + counts.deferred;
        if (isDryRun(request)) {
          const effect = `Would cancel "${before.name}" and drop ${open} mails not handed over yet; ${counts.sent} mails sent so far.`;
          return ok({ outcome: 'would_cancel', effect, campaign: before });
        }
        const after = replace<Campaign>(state.campaigns, {
          ...before,
          state: 'cancelled',
          finished_at: nowText(),
          counts: { ...counts, pending: 0, deferred: 0, cancelled: counts.cancelled + open },
        });
        return ok({
          outcome: 'cancelled',
          effect: `Cancelled "${before.name}"; ${open} mails dropped.`,
          campaign: after,
        });
      },
    ),
    route('GET', '/api/v1/campaigns/:id/report', { query: ['project_id'] }, (request, [id]) => {
      const {
        name,
        counts,
        launched_at,
        finished_at,
        state: current,
        id: campaign_id,
      } = campaign(request, id);
      return ok({
        campaign_id,
        name,
        state: current,
        state_reason: current === 'paused' ? 'requested' : null,
        missed_send_time: false,
        launched_at,
        finished_at,
        counts,
        complaints: 0,
        unsubscribes: 0,
        ...(state.reports.get(campaign_id) ?? emptyReport),
      });
    }),
    route('GET', '/api/v1/campaigns/:id/deliveries', { query: [...pageFields, 'state'] }, (request, [id]) => {
      const of = campaign(request, id);
      const wanted = request.query.get('state');
      return pageOf(
        state.deliveries.filter(
          (one) => one.campaign_id === of.id && (wanted === null || one.state === wanted),
        ),
        request,
      );
    }),
    route(
      'POST',
      '/api/v1/templates/:id/render',
      { body: ['project_id', 'data', 'strict_variables'] },
      (request, [id]) => {
        const template = within(state.templates, projectOf(desk, request), id);
        const data = request.body.data as { subscriber?: { name?: string; attributes?: object } };
        const person = {
          name: data.subscriber?.name ?? null,
          attributes: data.subscriber?.attributes ?? {},
        };
        const subject = render(template.subject ?? '', person) ?? '';
        const html = render(template.html ?? template.mjml, person);
        return ok({ subject, html, text: template.text, headers: { Subject: subject }, warnings: [] });
      },
    ),
  ];

  const domains: readonly FakeRoute[] = [
    route('GET', '/api/v1/sending-domains', { query: pageFields }, (request) => {
      const project = projectOf(desk, request);
      return pageOf(
        state.domains.filter((one) => one.project_id === project.id),
        request,
      );
    }),
    route('POST', '/api/v1/sending-domains', { body: ['project_id', 'domain'] }, (request) => {
      const project = projectOf(desk, request);
      const name = String(request.body.domain);
      if (!name.includes('.')) {
        throw invalid([
          { field: 'domain', code: 'invalid_format', message: 'must be a domain such as example.org' },
        ]);
      }
      const domain = makeDomain(newId('dom'), project.id, name);
      state.domains.push(domain);
      return ok(domain, 201);
    }),
    route('POST', '/api/v1/sending-domains/:id/verify', { body: ['project_id'] }, (request, [id]) => {
      const domain = within(state.domains, projectOf(desk, request), id);
      return ok(
        replace<SendingDomain>(state.domains, {
          ...domain,
          state: 'verified',
          verified_at: nowText(),
          records: domain.records.map((record) => ({ ...record, status: 'verified', found: record.value })),
        }),
      );
    }),
    route('DELETE', '/api/v1/sending-domains/:id', { query: ['project_id', 'dry_run'] }, (request, [id]) => {
      const domain = within(state.domains, projectOf(desk, request), id);
      if (isDryRun(request)) {
        const effect = `Would delete ${domain.domain} and its signing key.`;
        return ok({ outcome: 'would_delete', effect, domain });
      }
      state.domains = state.domains.filter((one) => one !== domain);
      return ok({ outcome: 'deleted', effect: `Deleted ${domain.domain}.`, domain: null });
    }),
  ];

  const webhookFields = ['project_id', 'url', 'events', 'enabled'];
  const webhooks: readonly FakeRoute[] = [
    route('GET', '/api/v1/webhooks', { query: pageFields }, (request) => {
      const project = projectOf(desk, request);
      return pageOf(
        state.webhooks.filter((one) => one.project_id === project.id),
        request,
      );
    }),
    route('POST', '/api/v1/webhooks', { body: webhookFields }, (request) => {
      const project = projectOf(desk, request);
      if (!String(request.body.url).startsWith('http')) {
        throw invalid([{ field: 'url', code: 'invalid_format', message: 'must be an http or https URL' }]);
      }
      const webhook: Webhook = {
        ...made(newId('whk')),
        project_id: project.id,
        url: String(request.body.url),
        events: request.body.events as readonly string[],
        enabled: true,
      };
      state.webhooks.push(webhook);
      return ok({ ...webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, 201);
    }),
    route('PATCH', '/api/v1/webhooks/:id', { body: webhookFields }, (request, [id]) => {
      const webhook = within(state.webhooks, projectOf(desk, request), id);
      return ok(replace(state.webhooks, { ...webhook, ...request.body }));
    }),
    route('DELETE', '/api/v1/webhooks/:id', { query: ['project_id'] }, (request, [id]) => {
      const webhook = within(state.webhooks, projectOf(desk, request), id);
      state.webhooks = state.webhooks.filter((one) => one !== webhook);
      return noContent;
    }),
    route('GET', '/api/v1/webhooks/:id/deliveries', { query: pageFields }, (request, [id]) => {
      projectOf(desk, request);
      return pageOf(
        state.webhookDeliveries.filter((one) => one.webhook_id === id),
        request,
      );
    }),
    route(
      'POST',
      '/api/v1/webhooks/:id/deliveries/:delivery/redeliver',
      { body: ['project_id'] },
      (request, [, id]) => {
        projectOf(desk, request);
        const delivery = found(
          state.webhookDeliveries.find((one) => one.id === id),
          'There is no such delivery.',
        );
        return ok(
          replace(state.webhookDeliveries, {
            ...delivery,
            state: 'pending' as const,
            next_attempt_at: nowText(),
          }),
        );
      },
    ),
  ];

  const captured: readonly FakeRoute[] = [
    route('GET', '/captured/api/messages', { query: ['to', 'limit'] }, ({ query }) => {
      const to = query.get('to');
      const data = state.captured
        .filter((one) => to === null || one.to === to)
        .map(({ raw: _, ...mail }) => mail);
      return ok({ data: data.slice(0, Number(query.get('limit') ?? 50)) });
    }),
    route(
      'GET',
      '/campaigns/api/subscribers/:id/events',
      { query: ['project_id', 'limit', 'cursor'] },
      (_request, [id]) => ok({ data: state.subscriberEvents.get(id ?? '') ?? [], next_cursor: null }),
    ),
    route('GET', '/captured/api/messages/:id/raw', {}, (_request, [id]) => ({
      status: 200,
      headers: { 'content-type': 'message/rfc822' },
      bytes: Buffer.from(
        found(
          state.captured.find((one) => one.id === id),
          'There is no such mail.',
        ).raw,
      ),
    })),
  ];

  return [...campaigns, ...domains, ...webhooks, ...captured];
}

export function makeDomain(id: string, projectId: string, domain: string): SendingDomain {
  const fresh = { status: 'pending', found: null } as const;
  const key = `v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${'q7Zr3'.repeat(50)}IDAQAB`;
  return {
    ...made(id),
    project_id: projectId,
    domain,
    state: 'unverified',
    dkim_selector: 'postern1',
    verified_at: null,
    records: [
      { purpose: 'dkim', type: 'TXT', name: `postern1._domainkey.${domain}`, value: key, ...fresh },
      {
        purpose: 'spf',
        type: 'TXT',
        name: `bounce.${domain}`,
        value: 'v=spf1 a:mail.example.org ~all',
        ...fresh,
      },
      { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none', ...fresh },
      {
        purpose: 'return_path',
        type: 'MX',
        name: `bounce.${domain}`,
        value: '10 mail.example.org',
        ...fresh,
      },
    ],
  };
}

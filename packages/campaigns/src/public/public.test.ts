import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { LaunchedContent } from '../campaigns/launched.ts';
import { compileContent } from '../content/compile.ts';
import { makeCampaign } from '../engine/testing/campaigns.ts';
import type { CampaignTable } from '../tables.ts';
import { campaignsBench } from '../testing/bench.ts';
import { dumpTables } from '../testing/dump.ts';
import { type PersonPurpose, tokensOf } from '../tokens.ts';

const LINK = 'https://example.org/?q=a%20b&x=%C3%A4&y=ä#frag';

describeEngines('public pages', (engine) => {
  async function start(campaignRow: Partial<CampaignTable> = {}) {
    const bench = await campaignsBench(engine);
    const { ports } = bench;
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id, { name: 'News & more', public: 1 });
    const other = await bench.makeList(project.project_id, { name: 'Offers', public: 0 });
    const ana = await bench.makeSubscriber(list, {
      email: 'ana@example.org',
      name: 'Ana <b>',
      attributes_json: '{"code":"q&r"}',
    });
    const { content } = await compileContent(
      {
        subject: 'Hello {{ subscriber.name }}',
        preheader: null,
        html:
          `<p>{{ subscriber.name }} on {{ list.name }}</p><a href="${LINK.replaceAll('&', '&amp;')}">x</a>` +
          '<a href="https://example.org/{{ subscriber.attributes.code }}">own</a><a href="{{ unsubscribe_url }}">leave</a>',
        mjml: null,
        text: null,
      },
      { clicks: true, opens: true, strict: true },
    );
    const launched: LaunchedContent = {
      version: 1,
      content,
      from: { name: null, email: 'news@example.com' },
      reply_to: null,
      campaign: { name: 'Spring' },
      project: { name: 'Project', sender_address: null },
      lists: { [list.list_id]: list.name },
    };
    const campaign = await makeCampaign(ports, project.project_id, [list.list_id, other.list_id], {
      content_json: JSON.stringify(launched),
      tracking_clicks: 'person',
      tracking_opens: 'person',
      ...campaignRow,
    });
    const tokens = tokensOf(ports.installationKey);
    const mail = { campaignId: campaign.campaign_id, subscriberId: ana.subscriber_id };
    const token = (purpose: PersonPurpose) => tokens.mail(purpose, mail);
    const http = await bench.http();
    const { url } = http;
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { redirect: 'manual', ...init });
    const post = (path: string, form: Record<string, string> | [string, string][] = {}) =>
      ask(path, { method: 'POST', body: new URLSearchParams(form) });
    const statuses = async () => {
      const rows = await ports.store.db
        .selectFrom('mail_subscribers')
        .select(['list_id', 'status', 'email_key'])
        .execute();
      return Object.fromEntries(
        rows.map((row) => [
          `${row.list_id === list.list_id ? 'news' : 'offers'} ${row.email_key}`,
          row.status,
        ]),
      );
    };
    const events = () =>
      ports.store.db
        .selectFrom('mail_events')
        .select(['type', 'subscriber_id', 'details_json'])
        .orderBy('event_id')
        .execute();
    return {
      bench,
      ports,
      project,
      list,
      other,
      ana,
      campaign,
      tokens,
      mail,
      token,
      ask,
      post,
      statuses,
      events,
      http,
    };
  }

  test('unsubscribe with one click, by POST alone', async () => {
    const { bench, other, token, ask, post, statuses } = await start();
    await bench.makeSubscriber(other, { email: 'ana@example.org' });
    await bench.makeSubscriber(other, { email: 'bo@example.org' });
    const path = `/p/u/${token('unsubscribe')}`;
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const answer = await ask(path, { method });
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    expect(await statuses()).toMatchObject({ 'news ana@example.org': 'subscribed' });
    for (let time = 0; time < 2; time += 1) {
      const answer = await post(path, { 'List-Unsubscribe': 'One-Click' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('set-cookie')).toBeNull();
      const page = await answer.text();
      expect(page).toContain('You are unsubscribed');
      expect(page).toContain('from <b>');
    }
    expect(await statuses()).toEqual({
      'news ana@example.org': 'unsubscribed',
      'offers ana@example.org': 'unsubscribed',
      'offers bo@example.org': 'subscribed',
    });
  });

  test.each([
    [
      'multipart',
      () => {
        const form = new FormData();
        form.set('List-Unsubscribe', 'One-Click');
        return { body: form };
      },
    ],
    ['no body', () => ({})],
  ])('unsubscribe with %s', async (_name, init) => {
    const { token, ask, statuses } = await start();
    const answer = await ask(`/p/u/${token('unsubscribe')}`, { method: 'POST', ...init() });
    expect(answer.status).toBe(200);
    expect(await statuses()).toEqual({ 'news ana@example.org': 'unsubscribed' });
  });

  test('open to nothing but their own token', async () => {
    const { token, ask, post, statuses, tokens, mail } = await start();
    for (const wrong of [
      token('view'),
      `${token('unsubscribe')}x`,
      'x',
      tokens.mail('unsubscribe', { ...mail, subscriberId: null }),
    ]) {
      expect((await post(`/p/u/${wrong}`)).status).toBe(404);
    }
    for (const path of [
      `/p/s/${token('unsubscribe')}`,
      `/p/v/${token('open')}`,
      '/p/confirm/x',
      `/p/c/${token('open')}/0`,
      '/p/l/x',
    ]) {
      expect((await ask(path)).status).toBe(404);
    }
    expect(await statuses()).toEqual({ 'news ana@example.org': 'subscribed' });
    for (const path of ['/p/u/sample', '/p/s/sample', '/p/v/sample']) {
      expect(await (await ask(path)).text()).toContain('This is a sample');
    }
    expect((await ask('/p/nothing')).headers.get('content-type')).toContain('problem+json');
    expect((await ask('/p/u/x', { method: 'PUT' })).status).toBe(405);
  });

  test('let nothing run and nothing be loaded', async () => {
    const { token, ask } = await start();
    for (const path of [`/p/u/${token('unsubscribe')}`, `/p/s/${token('preferences')}`]) {
      const answer = await ask(path);
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-/,
      );
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).not.toMatch(/<script|src=|@import/);
    }
  });

  test('let people choose their lists', async () => {
    const { bench, list, other, token, ask, post, statuses } = await start();
    const hidden = await bench.makeList(list.project_id, { name: 'Hidden' });
    await bench.makeSubscriber(other, { email: 'ana@example.org' });
    await bench.makeSubscriber(hidden, { email: 'ana@example.org', status: 'unsubscribed' });
    const path = `/p/s/${token('preferences')}`;
    const page = await (await ask(path)).text();
    expect(page).toContain('News &amp; more');
    expect(page).toContain('Offers');
    expect(page).not.toContain('Hidden');
    expect(page.match(/ checked/g)).toHaveLength(2);
    const left = await post(path, [
      ['shown', list.list_id],
      ['shown', other.list_id],
      ['list', other.list_id],
    ]);
    expect(await left.text()).toContain('Your choice is saved.');
    expect(await statuses()).toMatchObject({
      'news ana@example.org': 'unsubscribed',
      'offers ana@example.org': 'unsubscribed',
    });
    // What the page did not show stays: here, the list that is not among `shown`.
    await post(path, [
      ['shown', list.list_id],
      ['list', list.list_id],
    ]);
    expect(await statuses()).toMatchObject({ 'news ana@example.org': 'subscribed' });
  });

  test('let people who left a hidden list still say that they want nothing', async () => {
    const { ports, list, token, ask, post } = await start();
    await ports.store.db
      .updateTable('mail_lists')
      .set({ public: 0 })
      .where('list_id', '=', list.list_id)
      .execute();
    const path = `/p/s/${token('preferences')}`;
    const left = await (await post(`/p/u/${token('unsubscribe')}`)).text();
    expect(left).toContain(path);
    // There is no way back on the page this leads to, so none is promised.
    expect(left).not.toContain('Was that a mistake');
    expect(left).toContain('write to whoever sent them');
    const page = await (await ask(path)).text();
    expect(page).toContain('There is no list left for you here.');
    expect(page).toContain('write to whoever sent them');
    expect(page).toContain('value="none"');
    // A page that was open all the while still shows the list.
    const late = await (await post(path, { shown: list.list_id, list: list.list_id })).text();
    expect(late).toContain('but for lists you cannot be put back on');
    expect(await (await post(path, { all: 'none' })).text()).not.toContain('value="none"');
    expect(await (await post(`/p/u/${token('unsubscribe')}`)).text()).not.toContain(path);
    const suppressions = await ports.store.db.selectFrom('mail_suppressions').select('reason').execute();
    expect(suppressions).toEqual([{ reason: 'unsubscribe' }]);
  });

  test('let people leave all at once, for good', async () => {
    const { ports, project, token, post, statuses } = await start();
    const answer = await post(`/p/s/${token('preferences')}`, { all: 'none' });
    expect(await answer.text()).toContain('no mail at all');
    expect(await statuses()).toEqual({ 'news ana@example.org': 'unsubscribed' });
    const suppressions = await ports.store.db.selectFrom('mail_suppressions').selectAll().execute();
    expect(suppressions).toMatchObject([
      { project_id: project.project_id, email: 'ana@example.org', reason: 'unsubscribe' },
    ]);
  });

  test('confirm a subscription by a button, for 30 days', async () => {
    const { bench, list, tokens, ask, post, statuses } = await start();
    const bo = await bench.makeSubscriber(list, { email: 'bo@example.org', status: 'unconfirmed' });
    const path = `/p/confirm/${tokens.confirm(bo.subscriber_id, bench.clock.nowMicroseconds())}`;
    const page = await (await ask(path)).text();
    expect(page).toContain('Yes, send me these mails');
    expect(page).toContain('<b>News &amp; more</b>');
    expect(await statuses()).toMatchObject({ 'news bo@example.org': 'unconfirmed' });
    for (let time = 0; time < 2; time += 1) {
      expect(await (await post(path)).text()).toContain('You are subscribed');
    }
    expect(await statuses()).toMatchObject({ 'news bo@example.org': 'subscribed' });
    expect(await (await ask(path)).text()).toContain('You are subscribed');
    bench.clock.advance(31 * 24 * 3_600_000);
    expect((await post(path)).status).toBe(410);
  });

  test('show a mail in the browser, and run nothing of it', async () => {
    const { token, ask } = await start();
    const answer = await ask(`/p/v/${token('view')}`);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    const page = await answer.text();
    expect(page).toContain('<p>Ana &lt;b&gt; on News &amp; more</p>');
    expect(page).toContain(`href="${LINK.replaceAll('&', '&amp;')}"`);
    expect(page).not.toContain('/p/o/');
    expect(page).toMatch(/\/p\/u\/1u/);
  });

  test('show what was sent to a public list, and to nobody in particular', async () => {
    const { bench, ports, list, other, campaign, ask } = await start();
    await makeCampaign(ports, list.project_id, [list.list_id], {
      ...campaign,
      campaign_id: ports.newId('cmp'),
      segment_id: 'seg_x',
    });
    const page = await (await ask(`/p/archive/${list.list_id}`)).text();
    expect(page).toContain(`<a href="/p/archive/${list.list_id}/${campaign.campaign_id}">Hello …</a>`);
    expect(page.match(/<li>/g)).toHaveLength(1);
    const mail = await (await ask(`/p/archive/${list.list_id}/${campaign.campaign_id}`)).text();
    expect(mail).toContain('<p> on News &amp; more</p>');
    expect(mail).not.toMatch(/Ana|\/p\/u\//);
    for (const path of [
      other.list_id,
      `${other.list_id}/${campaign.campaign_id}`,
      `${list.list_id}/cmp_x`,
      'x',
    ]) {
      expect((await ask(`/p/archive/${path}`)).status).toBe(404);
    }
    await bench.ports.store.db.updateTable('mail_lists').set({ deleted_us: 1 }).execute();
    expect((await ask(`/p/archive/${list.list_id}`)).status).toBe(404);
  });

  test('lead links back byte for byte, and count those that were followed', async () => {
    const { token, tokens, mail, ask, events } = await start();
    const path = `/p/c/${token('click')}/0`;
    const location = async (path: string, method = 'GET') => {
      const answer = await ask(path, { method });
      expect(answer.status).toBe(302);
      return Buffer.from(answer.headers.get('location') ?? '', 'latin1').toString();
    };
    expect(await location(path)).toBe(LINK);
    expect(await location(path, 'HEAD')).toBe(LINK);
    const own = `https://example.org/${'ü'.repeat(900)}?a=b&c`;
    expect(await location(`/p/l/${tokens.link(mail, own)}`)).toBe(own);
    expect(await location(`/p/l/${tokens.link({ ...mail, subscriberId: null }, LINK)}`)).toBe(LINK);
    expect((await ask(`/p/c/${token('click')}/7`)).status).toBe(404);
    const { subscriberId } = mail;
    expect(await events()).toEqual([
      { type: 'clicked', subscriber_id: subscriberId, details_json: '{"link":0}' },
      { type: 'clicked', subscriber_id: subscriberId, details_json: JSON.stringify({ url: own }) },
      // Who is counted as nobody in particular is not named by a link that was made for them.
      { type: 'clicked', subscriber_id: null, details_json: '{}' },
    ]);
  });

  test('note no more of somebody who was erased than that there was a click', async () => {
    const { ports, ana, token, tokens, mail, ask, events, project, http } = await start();
    const key = await http.makeKey(project.project_id, ['subscribers:write']);
    await key.rest(`DELETE /subscribers/${ana.subscriber_id}`);
    const own = 'https://example.org/?for=ana@example.org';
    const answers = await Promise.all([
      ask(`/p/l/${tokens.link(mail, own)}`),
      ask(`/p/c/${token('click')}/0`),
      ask(`/p/o/${token('open')}.gif`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 200]);
    expect((await events()).map(({ type, details_json }) => `${type} ${details_json}`).sort()).toEqual([
      'clicked {"link":0}',
      'clicked {}',
      'opened {}',
    ]);
    expect(JSON.stringify(await dumpTables(ports.store))).not.toContain('ana@example.org');
  });

  test('count opens', async () => {
    const { token, tokens, mail, ask, events } = await start();
    const anonymous = tokens.mail('open', { ...mail, subscriberId: null });
    for (const path of [`/p/o/${token('open')}.gif`, `/p/o/${anonymous}.gif`, '/p/o/nonsense.gif']) {
      const answer = await ask(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('image/gif');
      await ask(path, { method: 'HEAD' });
    }
    expect(await events()).toEqual([
      { type: 'opened', subscriber_id: mail.subscriberId, details_json: '{}' },
      { type: 'opened', subscriber_id: null, details_json: '{}' },
    ]);
  });
});

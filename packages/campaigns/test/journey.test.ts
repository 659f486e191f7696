import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { type ParsedMail, simpleParser } from 'mailparser';
import { expect, onTestFinished, test } from 'vitest';
import { createLauncher } from '../src/campaigns/launcher.ts';
import { createCampaignEngine } from '../src/engine/index.ts';
import { campaignsBench } from '../src/testing/index.ts';
import { captureTransport } from '../src/transports/capture.ts';

/** A campaign on its whole way: from the call that drafts it to what people do with its mails. */

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 });

const LINK = 'https://example.org/?q=a%20b&x=ä#frag';
const HTML =
  '<html><body><h1>Für {{ subscriber.name | default: "dich" }}</h1>' +
  '{% if subscriber.attributes.city == "Åbo" %}<p>Åbo grüßt</p>{% endif %}' +
  `<p><a href="${LINK.replace('&', '&amp;')}">Mehr</a> <a href="https://example.org/{{ subscriber.attributes.city }}">Stadt</a></p>` +
  '<p><a href="{{ view_url }}">Ansehen</a> <a href="{{ preferences_url }}">Wählen</a> <a href="{{ unsubscribe_url }}">Abbestellen</a></p></body></html>';

describeEngines('a campaign', (engine) => {
  test('is drafted, launched, sent, read, followed and left', async () => {
    const bench = await campaignsBench(engine, { ports: { clock: systemClock, publicUrl: () => base } });
    let base = 'http://127.0.0.1:8080';
    const http = await bench.http();
    base = http.url;
    const { admin } = http;
    const { ports } = bench;
    const project_id = (await admin.rest('POST /projects', { name: 'Harbour', slug: 'harbour' })).body.id;
    const key = await http.makeKey(project_id, [
      'campaigns:read',
      'campaigns:write',
      'campaigns:launch',
      'reports:read',
    ]);
    const list = await bench.makeList(project_id, { name: 'Brief "aus" Åbo' });
    const ana = await bench.makeSubscriber(list, {
      email: 'ana@example.org',
      name: 'Zoë <b>',
      attributes_json: '{"city":"Åbo"}',
    });
    await bench.makeSubscriber(list, { email: 'bo@example.org' });
    await bench.makeSubscriber(list, { status: 'unsubscribed' });

    const draft = await key.rest('POST /campaigns', {
      name: 'Frühling',
      list_ids: [list.list_id],
      subject: 'Grüße, {{ subscriber.name | default: "Freund" }}',
      preheader: 'Kurz & gut',
      html: HTML,
      tracking: { opens: 'person', clicks: 'person' },
    });
    const path = `/campaigns/${draft.body.id}`;
    const launched = await key.rest(`POST ${path}/launch`);
    expect(launched.body.effect).toBe('Launched "Frühling" to 2 recipients now; 1 left out: 1 unsubscribed.');

    const campaigns = createCampaignEngine({
      ports,
      launcher: createLauncher(ports),
      transport: captureTransport(ports),
    });
    onTestFinished(() => campaigns.stop());
    await campaigns.start();
    await eventually(async () => (await key.rest(`GET ${path}`)).body).toMatchObject({
      state: 'finished',
      counts: { audience: 3, sent: 2, skipped: 1, pending: 0 },
    });

    const mail = await mailTo('ana@example.org');
    expect(mail.subject).toBe('Grüße, Zoë <b>');
    expect(mail.text).toContain('Für Zoë <b>');
    expect(mail.text).toContain('Åbo grüßt');
    expect(mail.html).toContain('<h1>Für Zoë &lt;b&gt;</h1><p>Åbo grüßt</p>');
    expect(mail.html).toContain('Kurz &amp; gut</div>');
    expect((await mailTo('bo@example.org')).html).toContain('<h1>Für dich</h1><p>');

    const links = new Map(
      [...String(mail.html).matchAll(/<a href="([^"]*)">([^<]*)</g)].map(([, href = '', text = '']) => [
        text,
        href,
      ]),
    );
    const follow = async (text: string) => {
      const answer = await fetch(links.get(text) ?? '', { redirect: 'manual' });
      return Buffer.from(answer.headers.get('location') ?? '', 'latin1').toString();
    };
    expect(await follow('Mehr')).toBe(LINK);
    expect(await follow('Stadt')).toBe('https://example.org/Åbo');
    await fetch(/<img src="([^"]*)"/.exec(String(mail.html))?.[1] ?? '');
    const page = await (await fetch(links.get('Ansehen') ?? '')).text();
    expect(page).toContain('<h1>Für Zoë &lt;b&gt;</h1>');
    expect(await (await fetch(links.get('Wählen') ?? '')).text()).toContain('Brief &quot;aus&quot; Åbo');

    const unsubscribe = /^<(.*)>$/.exec(headerOf(mail, 'list-unsubscribe'))?.[1] ?? '';
    expect(links.get('Abbestellen')).toBe(unsubscribe);
    expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const answer = await fetch(unsubscribe, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    });
    expect(answer.status).toBe(200);
    const after = await ports.store.db
      .selectFrom('mail_subscribers')
      .select('status')
      .where('subscriber_id', '=', ana.subscriber_id)
      .executeTakeFirst();
    expect(after?.status).toBe('unsubscribed');

    expect((await key.rest(`GET ${path}/report`)).body).toMatchObject({
      state: 'finished',
      opens: { total: 1, people: 1 },
      clicks: { total: 2, people: 1 },
      unsubscribes: 1,
      reasons: [{ state: 'skipped', reason: 'unsubscribed', total: 1 }],
      links: expect.arrayContaining([{ url: LINK, total: 1, people: 1 }]),
    });

    async function mailTo(address: string): Promise<ParsedMail> {
      const row = await ports.store.db
        .selectFrom('mail_captured')
        .select('raw')
        .where('rcpt_to', '=', address)
        .executeTakeFirstOrThrow();
      return simpleParser(Buffer.from(row.raw));
    }
  });
});

function headerOf(mail: ParsedMail, name: string): string {
  const line = mail.headerLines.find(({ key }) => key === name)?.line ?? '';
  return line
    .slice(line.indexOf(':') + 1)
    .replace(/\r?\n(?=[ \t])/g, '')
    .trim();
}

import { createPrivateKey } from 'node:crypto';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';
import type { DomainAnswer } from './shapes.ts';
import { sendingIdentity } from './signing.ts';
import { fakeDns } from './testing/fake-dns.ts';

describeEngines('sending domains', (engine) => {
  async function start() {
    const dns = await fakeDns();
    onTestFinished(() => dns.close());
    const bench = await campaignsBench(engine, { ports: { dnsServers: [dns.address] } });
    const project = await bench.makeProject();
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['domains:read', 'domains:write']);
    const publish = ({ records }: DomainAnswer) => {
      for (const { type, name, value } of records) dns.set(type as 'TXT' | 'MX', name, value);
    };
    return { bench, dns, project, http, key, publish };
  }

  const statuses = (body: DomainAnswer) =>
    Object.fromEntries(body.records.map((one) => [one.purpose, one.status]));

  test('come with a key and the records to set', async () => {
    const { key, bench, project } = await start();
    const { status, body } = await key.rest('POST /sending-domains', { domain: ' Exämple.org ' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ domain: 'xn--exmple-cua.org', state: 'unverified', verified_at: null });
    const { dkim_selector: selector, domain } = body;
    expect(body.records).toMatchObject([
      {
        purpose: 'dkim',
        type: 'TXT',
        name: `${selector}._domainkey.${domain}`,
        status: 'pending',
        found: null,
      },
      { purpose: 'spf', type: 'TXT', name: `bounce.${domain}`, value: `v=spf1 a:mail.${domain} ~all` },
      { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none' },
      { purpose: 'return_path', type: 'MX', name: `bounce.${domain}`, value: `10 mail.${domain}` },
    ]);
    const row = await bench.ports.store.db.selectFrom('mail_domains').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain('PRIVATE');
    const identity = await sendingIdentity(bench.ports, project.project_id, domain);
    expect(createPrivateKey(identity?.dkim.privateKey ?? '').asymmetricKeyDetails?.modulusLength).toBe(2_048);
    expect(identity).toMatchObject({ isVerified: false, returnPathDomain: null });
    expect((await key.rest(`GET /sending-domains/${body.id}`)).body).toEqual(body);
    expect((await key.rest('GET /sending-domains')).body.data).toEqual([body]);
  });

  test('are in a project once, and have to be domains', async () => {
    const { key, bench, http } = await start();
    await key.rest('POST /sending-domains', { domain: 'example.org' });
    expect((await key.rest('POST /sending-domains', { domain: 'EXAMPLE.org' })).body.code).toBe('conflict');
    const other = await http.makeKey((await bench.makeProject()).project_id, ['domains:write']);
    expect((await other.rest('POST /sending-domains', { domain: 'example.org' })).status).toBe(201);
    for (const domain of ['localhost', '10.0.0.1', 'a..b', 'x y.org', '', 'a\r\nb.org']) {
      expect((await key.rest('POST /sending-domains', { domain })).body.errors).toMatchObject([
        { field: 'domain' },
      ]);
    }
    const malformed = await key.rest('POST /sending-domains', { domain: 'x y.org' });
    expect(malformed.body.detail).toBe(
      'domain must be a domain such as example.org, found "x y.org": it is malformed',
    );
  });

  test('are verified when all their records are there', async () => {
    const { key, dns, bench, project, publish } = await start();
    const made = (await key.rest('POST /sending-domains', { domain: 'example.org' })).body;
    const verify = async () => (await key.rest(`POST /sending-domains/${made.id}/verify`)).body;
    const none = await verify();
    expect(none).toMatchObject({ state: 'unverified', verified_at: null });
    expect(statuses(none)).toEqual({
      dkim: 'missing',
      spf: 'missing',
      dmarc: 'missing',
      return_path: 'missing',
    });
    publish(made);
    const all = await verify();
    expect(all).toMatchObject({ state: 'verified', verified_at: expect.any(String) });
    for (const record of all.records)
      expect(record).toMatchObject({ status: 'verified', found: record.value });
    expect(await sendingIdentity(bench.ports, project.project_id, 'example.org')).toMatchObject({
      isVerified: true,
      returnPathDomain: 'bounce.example.org',
    });
    dns.set('TXT', 'bounce.example.org', 'v=spf1 -all');
    const failing = await verify();
    expect(failing).toMatchObject({ state: 'failing', verified_at: all.verified_at });
    expect(failing.records[1]).toMatchObject({ status: 'mismatch', found: 'v=spf1 -all' });
  });

  test('take records that say the same in other words, or more', async () => {
    const { key, dns, publish } = await start();
    const made: DomainAnswer = (await key.rest('POST /sending-domains', { domain: 'news.example.org' })).body;
    publish(made);
    const [dkim] = made.records;
    dns.set('TXT', dkim?.name ?? '', 'other', `k=rsa;${dkim?.value.replace(/^.*(?=p=)/, '')} ; t=s`);
    dns.set(
      'TXT',
      'bounce.news.example.org',
      'google-verification=1',
      'v=spf1 include:relay.example +A:mail.news.example.org -all',
    );
    dns.set('TXT', '_dmarc.news.example.org');
    dns.set('TXT', '_dmarc.example.org', 'v=DMARC1; p=reject; np=reject');
    dns.set('MX', 'bounce.news.example.org', '5 other.example', '20 MAIL.news.example.org');
    expect((await key.rest(`POST /sending-domains/${made.id}/verify`)).body.state).toBe('verified');
  });

  test('refuse records that are wrong', async () => {
    const { key, dns, publish } = await start();
    const made: DomainAnswer = (await key.rest('POST /sending-domains', { domain: 'example.org' })).body;
    publish(made);
    dns.set('TXT', made.records[0]?.name ?? '', 'v=DKIM1; k=rsa; p=MIIB');
    dns.set('TXT', 'bounce.example.org', 'v=spf1 a:mail.example.org ~all', 'v=spf1 -all');
    dns.set('TXT', '_dmarc.example.org', 'v=DMARC1; p=none', 'v=DMARC1; p=reject');
    dns.set('MX', 'bounce.example.org', '10 other.example');
    const { body } = await key.rest(`POST /sending-domains/${made.id}/verify`);
    expect(statuses(body)).toEqual({
      dkim: 'mismatch',
      spf: 'mismatch',
      dmarc: 'mismatch',
      return_path: 'mismatch',
    });
    expect(body.records[3].found).toBe('10 other.example');
  });

  test('stay what they are when DNS does not answer', async () => {
    const { key, dns, publish } = await start();
    const made = (await key.rest('POST /sending-domains', { domain: 'example.org' })).body;
    publish(made);
    await key.rest(`POST /sending-domains/${made.id}/verify`);
    dns.mode = 'servfail';
    const { body } = await key.rest(`POST /sending-domains/${made.id}/verify`);
    expect(body.state).toBe('verified');
    expect(body.records[0]).toMatchObject({ status: 'error', found: 'the lookup failed: ESERVFAIL' });
  });

  test('are deleted after a dry run, and then not there', async () => {
    const { key } = await start();
    const made = (await key.rest('POST /sending-domains', { domain: 'example.org' })).body;
    const dry = await key.tool('delete_sending_domain', { domain_id: made.id });
    expect(dry.structured).toMatchObject({ outcome: 'would_delete', domain: { id: made.id } });
    expect((await key.rest(`DELETE /sending-domains/${made.id}?dry_run=true`)).body).toEqual(dry.structured);
    const gone = await key.tool('delete_sending_domain', { domain_id: made.id, confirm: true });
    expect(gone.structured).toMatchObject({ outcome: 'deleted', domain: null });
    expect((await key.rest(`DELETE /sending-domains/${made.id}`)).body.code).toBe('not_found');
  });
});

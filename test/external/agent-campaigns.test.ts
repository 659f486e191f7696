import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer, fakeMessagesApi, type ModelRequest, text, toolUse } from '../fakes/messages-api.ts';
import { posternCommand, startHub, type TestHub } from '../support/hub.ts';
import { runProgram } from '../support/run-program.ts';
import { runAgent } from './agent-cli.ts';
import type { HttpServer } from './inbox-servers.ts';
import { call, EXIT, inspect } from './inspector-cli.ts';

/** An agent at /mcp with nothing but an API key, from the empty project to the mails. */

const SCOPES = [
  'lists:read',
  'lists:write',
  'subscribers:read',
  'subscribers:write',
  'campaigns:read',
  'campaigns:write',
  'campaigns:launch',
  'reports:read',
];

const SUBJECT = 'Frühling am Hafen, {{ subscriber.name }} 🌷';
const HTML =
  '<h1>Guten Tag, {{ subscriber.name }}</h1>\n' +
  '<p>Neu in {{ subscriber.attributes.city }}: <a href="https://harbour.example/new?a=1&amp;b=%20x">alle Bücher</a>.</p>\n' +
  '.\n<p>Ein Punkt am Anfang der Zeile bleibt stehen.</p>\n' +
  '<p><a href="{{ unsubscribe_url }}">Abbestellen</a></p>';

interface Project {
  readonly id: string;
}

interface Captured {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly size: number;
}

let hub: TestHub;
let projectId: string;
let key: string;

beforeAll(async () => {
  hub = await startHub();
  const project = { name: 'Harbour Books', slug: 'harbour', sender_address: '1 Quay Street, Porto' };
  projectId = (await hub.admin<Project>('POST', '/api/v1/projects', project)).id;
  key = await createdKey('newsletter agent', SCOPES);
});
afterAll(() => hub[Symbol.asyncDispose]());

/** As an operator makes it: `postern keys create` beside the running hub. */
async function createdKey(name: string, scopes: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [posternCommand, 'keys', 'create', name, '--project', projectId, '--scopes', scopes.join(',')],
    { cwd: hub.folder, env: { PATH: process.env.PATH, POSTERN_DATA_DIR: `${hub.folder}/data` } },
  );
  if (code !== 0) throw new Error(`postern keys create ended with ${code}: ${stderr}`);
  return stdout.trim();
}

const campaignsServer = (bearer = key): HttpServer => ({
  type: 'http',
  url: `${hub.url}/mcp`,
  headers: { Authorization: `Bearer ${bearer}` },
});

const use = (tool: string, input: Record<string, unknown> = {}) =>
  answer(toolUse(`mcp__campaigns__${tool}`, input));

/** What the model was just answered; a success is given to it as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
function read(request: ModelRequest): any {
  const { isError, text } = request.toolResult;
  if (isError) throw new Error(`the tool failed: ${text}`);
  return JSON.parse(text);
}

function get<Body>(path: string): Promise<Body> {
  return hub.admin<Body>('GET', path);
}

async function rawOf({ id }: Captured): Promise<Buffer> {
  const response = await fetch(`${hub.url}/captured/api/messages/${id}/raw`, {
    headers: { authorization: `Bearer ${hub.adminKey}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'message/rfc822']);
  return Buffer.from(await response.arrayBuffer());
}

async function capturedFor(address: string): Promise<Captured[]> {
  return (await get<{ data: Captured[] }>(`/captured/api/messages?to=${address}`)).data;
}

/** A header field as it stands in the message, unfolded. */
function fieldOf(mail: ParsedMail, name: string): string[] {
  return mail.headerLines
    .filter((line) => line.key === name)
    .map(({ line }) =>
      line
        .slice(line.indexOf(':') + 1)
        .replace(/\r?\n(?=[ \t])/g, '')
        .trim(),
    );
}

/** No line ends otherwise than in CRLF, none is too long, and nothing stands outside of ASCII. */
function expectWireForm(raw: Buffer): void {
  const source = raw.toString('latin1');
  expect(source).toMatch(/^[\t\r\n\x20-\x7e]*\r\n$/);
  expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const [head = '', body = ''] = source.split(/\r\n\r\n(.*)/s);
  const longest = (part: string) => Math.max(...part.split('\r\n').map((line) => line.length));
  expect(longest(body)).toBeLessThanOrEqual(78);
  // What cannot be folded, such as an address of the web, may be longer.
  expect(longest(head)).toBeLessThanOrEqual(998);
  const long = head.split('\r\n').filter((line) => line.length > 78);
  for (const line of long) expect(line.replace(/^[\w-]+: /, '').trim()).toMatch(/^\S+$/);
}

test('an agent with an API key does everything from the list to the report, and the mails are right', async () => {
  await using api = await fakeMessagesApi();
  const seen: Record<string, string> = {};
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
  const answers: Record<string, any> = {};
  api.script(
    use('whoami'),
    (request) => {
      answers.whoami = read(request);
      return use('create_list', {
        name: 'Newsletter',
        from: { name: 'Hafen-Bücher', email: 'news@harbour.example' },
      });
    },
    (request) => {
      seen.list = read(request).id;
      return use('import_subscribers', {
        list_id: seen.list,
        records: [
          { email: 'Ana@Example.org', name: 'Ana Çelik', attributes: { city: 'Porto' } },
          { email: 'bo@example.org', name: '山田 Bo', attributes: { city: 'Åbo' } },
          { email: 'left@example.org', name: 'Cy' },
          { email: 'no address' },
        ],
      });
    },
    async (request) => {
      answers.imported = read(request);
      const [ana, , left] = answers.imported.results;
      seen.ana = ana.subscriber_id;
      // Somebody leaves between the import and the launch.
      await hub.admin('POST', `/api/v1/subscribers/${left.subscriber_id}/unsubscribe`, {
        project_id: projectId,
      });
      return use('create_campaign', {
        name: 'Spring',
        list_ids: [seen.list],
        subject: SUBJECT,
        html: HTML,
      });
    },
    (request) => {
      seen.campaign = read(request).id;
      return use('preview_campaign', { campaign_id: seen.campaign, subscriber_id: seen.ana });
    },
    (request) => {
      answers.preview = read(request);
      return use('launch_campaign', { campaign_id: seen.campaign });
    },
    async (request) => {
      answers.dryRun = read(request);
      const campaign = await get<{ state: string }>(
        `/api/v1/campaigns/${seen.campaign}?project_id=${projectId}`,
      );
      expect(campaign.state).toBe('draft');
      expect((await get<{ data: Captured[] }>('/captured/api/messages')).data).toEqual([]);
      return use('launch_campaign', { campaign_id: seen.campaign, confirm: true });
    },
    async (request) => {
      answers.launched = read(request);
      await expect
        .poll(() => get(`/api/v1/campaigns/${seen.campaign}?project_id=${projectId}`), { timeout: 30_000 })
        .toMatchObject({ state: 'finished' });
      return use('get_campaign_report', { campaign_id: seen.campaign });
    },
    (request) => {
      answers.report = read(request);
      return answer(text('The newsletter is out.'));
    },
  );

  const run = await runAgent({
    api,
    servers: { campaigns: campaignsServer() },
    prompt: 'Send the spring newsletter.',
    schemas: 'at_once',
  });

  api.verify();
  expect(run).toMatchObject({ code: 0, result: { is_error: false, result: 'The newsletter is out.' } });
  expect(answers.whoami).toMatchObject({
    key: { kind: 'api', name: 'newsletter agent' },
    project: { id: projectId, name: 'Harbour Books' },
  });
  expect(answers.imported).toMatchObject({ created: 3, updated: 0, unchanged: 0, skipped: 1 });
  expect(answers.imported.results[3]).toMatchObject({ outcome: 'skipped', reason: 'invalid_email' });
  expect(answers.preview).toMatchObject({ subject: 'Frühling am Hafen, Ana Çelik 🌷' });
  expect(answers.preview.html).toContain('Neu in Porto');
  const numbers = '"Spring" to 2 recipients now; 1 left out: 1 unsubscribed.';
  expect(answers.dryRun).toMatchObject({ outcome: 'would_launch', effect: `Would launch ${numbers}` });
  expect(answers.launched).toMatchObject({ outcome: 'launched', effect: `Launched ${numbers}` });
  expect(answers.report).toMatchObject({
    state: 'finished',
    counts: { audience: 3, sent: 2, skipped: 1, pending: 0, submitted: 0, failed: 0, unknown: 0 },
    reasons: [{ state: 'skipped', reason: 'unsubscribed', total: 1 }],
  });

  expect(await capturedFor('left@example.org')).toEqual([]);
  const unsubscribing = new Set<string>();
  for (const { address, name, city } of [
    { address: 'Ana@example.org', name: 'Ana Çelik', city: 'Porto' },
    { address: 'bo@example.org', name: '山田 Bo', city: 'Åbo' },
  ]) {
    const [captured, ...more] = (await capturedFor(address)) as [Captured];
    expect(more).toEqual([]);
    const raw = await rawOf(captured);
    expect(raw.length).toBe(captured.size);
    expectWireForm(raw);
    const mail = await simpleParser(raw);
    expect(mail.subject).toBe(`Frühling am Hafen, ${name} 🌷`);
    expect(mail.from?.value).toEqual([{ name: 'Hafen-Bücher', address: 'news@harbour.example' }]);
    expect([mail.to].flat().flatMap((to) => to?.value ?? [])).toEqual([{ name, address }]);
    for (const once of [
      'from',
      'to',
      'subject',
      'date',
      'message-id',
      'mime-version',
      'list-id',
      'feedback-id',
    ]) {
      expect([once, fieldOf(mail, once)]).toEqual([once, [expect.stringMatching(/./)]]);
    }
    expect(mail.html).toContain(`<h1>Guten Tag, ${name}</h1>`);
    expect(mail.html).toContain(`Neu in ${city}: <a href="https://harbour.example/new?a=1&amp;b=%20x">`);
    expect(mail.html).toContain('\n.\n<p>Ein Punkt am Anfang');
    expect(mail.text).toContain(`Neu in ${city}`);
    expect(fieldOf(mail, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
    const [unsubscribe = ''] = fieldOf(mail, 'list-unsubscribe').map((value) => value.replace(/^<|>$/g, ''));
    expect(unsubscribe.startsWith(`${hub.url}/p/`)).toBe(true);
    expect(mail.html).toContain(`<a href="${unsubscribe}">Abbestellen</a>`);
    unsubscribing.add(unsubscribe);
  }
  expect(unsubscribing.size).toBe(2);
});

test('an agent is offered the tools its key opens, and no other', async () => {
  const reader = await createdKey('reader', ['lists:read']);
  await using api = await fakeMessagesApi();
  let refusal = '';
  api.script(use('get_list', { list_id: `lst_${'0'.repeat(26)}` }), ({ toolResult }) => {
    refusal = `${toolResult.isError} ${toolResult.text}`;
    return answer(text('There is no such list.'));
  });
  const run = await runAgent({ api, servers: { campaigns: campaignsServer(reader) }, schemas: 'at_once' });
  api.verify();
  expect(refusal).toMatch(/^true not_found: /);
  expect(run.init.mcp_servers).toEqual([expect.objectContaining({ name: 'campaigns', status: 'connected' })]);
  expect(run.init.tools.filter((name) => name.startsWith('mcp__')).sort()).toEqual(
    ['get_list', 'get_server_info', 'list_lists', 'whoami'].map((name) => `mcp__campaigns__${name}`),
  );
});

describe.each(['legacy', 'modern'] as const)('the Inspector, in the %s era', (era) => {
  test('lists every tool with nothing to say for --strict', async () => {
    for (const [bearer, least] of [
      [hub.adminKey, 60],
      [key, 20],
    ] as const) {
      const listing = await inspect(campaignsServer(bearer), era, '--method', 'tools/list', '--strict');
      expect(listing).toMatchObject({ code: EXIT.ok, complaints: '' });
      expect(listing.result?.tools?.length).toBeGreaterThanOrEqual(least);
    }
  });

  test('gets errors whole: code and detail, as a tool error', async () => {
    const missing = await inspect(
      campaignsServer(),
      era,
      ...call('get_list', { list_id: `lst_${'0'.repeat(26)}` }),
    );
    expect(missing.code).toBe(EXIT.toolError);
    expect(missing.result?.structuredContent).toEqual({ code: 'not_found', detail: expect.any(String) });
    const wrong = await inspect(
      campaignsServer(),
      era,
      ...call('create_list', { name: '', opt_in: 'triple' }),
    );
    expect(wrong.result?.structuredContent).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'name' }, { field: 'opt_in' }],
    });
  });

  test('fails to log in with a key that is none', async () => {
    const { code } = await inspect(campaignsServer('pst_api_none'), era, '--method', 'tools/list');
    expect(code).toBe(EXIT.authRequired);
  });
});

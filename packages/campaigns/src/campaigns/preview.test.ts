import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';

describeEngines('previews', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id, { name: 'Wöchentlich' });
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['campaigns:read', 'campaigns:write']);
    const make = async (fields: object) =>
      (await key.rest('POST /campaigns', { name: 'Spring', list_ids: [list.list_id], ...fields })).body.id;
    return { bench, list, key, make };
  }

  test('show a campaign as one subscriber gets it, without acting for them', async () => {
    const { bench, list, key, make } = await start();
    const person = await bench.makeSubscriber(list, {
      email: 'zoe@example.org',
      name: 'Zoë <b>',
      attributes_json: '{"city":"Åbo"}',
    });
    const id = await make({
      subject: 'Für {{ subscriber.name }}',
      html: '<p>{{ subscriber.attributes.city }}, {{ list.name }}</p><a href="{{ unsubscribe_url }}">x</a> {{ foo }}',
      tracking: { clicks: 'person' },
    });
    const { status, body } = await key.rest(`POST /campaigns/${id}/preview`, {
      subscriber_id: person.subscriber_id,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      subject: 'Für Zoë <b>',
      html: '<p>Åbo, Wöchentlich</p><a href="http://127.0.0.1:8080/p/u/sample">x</a> ',
      text: expect.stringContaining('Åbo, Wöchentlich'),
      headers: {
        From: 'News <news@example.com>',
        To: expect.stringContaining('zoe@example.org'),
        Subject: 'Für Zoë <b>',
        'List-Unsubscribe': '<http://127.0.0.1:8080/p/u/sample>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Id': expect.stringContaining('Wöchentlich'),
      },
      warnings: ['html: nothing is known as {{ foo }}'],
    });
    expect(JSON.stringify(body)).not.toMatch(/\/p\/u\/1u/);
    const nobody = await key.tool('preview_campaign', { campaign_id: id });
    expect(nobody.structured.subject).toBe('Für Ana Example');
  });

  test('tell what is wrong with the content', async () => {
    const { bench, key, make } = await start();
    const id = await make({ subject: 's', html: '\n{{ subscriber.attributes.x }}', strict_variables: true });
    const { body } = await key.rest(`POST /campaigns/${id}/preview`, {});
    expect(body).toMatchObject({
      code: 'precondition_failed',
      errors: [{ field: 'html', code: 'template_error' }],
    });
    expect(body.detail).toContain('line 2, column 1');
    const foreign = await bench.makeSubscriber(await bench.makeList((await bench.makeProject()).project_id));
    const refused = await key.rest(`POST /campaigns/${id}/preview`, { subscriber_id: foreign.subscriber_id });
    expect(refused.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'subscriber_id', code: 'not_allowed' }],
    });
  });

  test('work before there is a sender', async () => {
    const { key, make } = await start();
    const { body } = await key.rest(
      `POST /campaigns/${await make({ list_ids: [], text: 'Hi' })}/preview`,
      {},
    );
    expect(body).toEqual({
      subject: '',
      html: null,
      text: 'Hi',
      headers: {},
      warnings: ['from: there is no sender yet, so there are no headers'],
    });
  });

  test('say of a draft without a body what it lacks', async () => {
    const { key, make } = await start();
    const id = await make({ html: null, text: null });
    const { body } = await key.rest(`POST /campaigns/${id}/preview`, {});
    expect(body).toMatchObject({
      html: null,
      headers: {},
      warnings: ['html: there is no body yet, so there is nothing to see'],
    });
  });
});

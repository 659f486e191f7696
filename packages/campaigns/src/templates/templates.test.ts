import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';
import { eras } from '../testing/http-bench.ts';

describeEngines('templates', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['templates:read', 'templates:write']);
    return { bench, project, http, key };
  }

  test('are made, read, listed, changed and deleted', async () => {
    const { key, project } = await start();
    const made = await key.rest('POST /templates', {
      name: 'Welcome',
      subject: 'Hi',
      html: '<p>{{ x }}</p>',
    });
    expect(made).toMatchObject({
      status: 201,
      body: { project_id: project.project_id, mjml: null, text: null },
    });
    const { id } = made.body;
    expect((await key.rest(`GET /templates/${id}`)).body).toEqual(made.body);
    expect((await key.rest('GET /templates')).body).toEqual({ data: [made.body], next_cursor: null });
    const changed = await key.rest(`PATCH /templates/${id}`, { html: null, mjml: '<mjml></mjml>' });
    expect(changed).toMatchObject({
      status: 200,
      body: { subject: 'Hi', html: null, mjml: '<mjml></mjml>' },
    });
    expect((await key.rest(`DELETE /templates/${id}`)).status).toBe(204);
    expect((await key.rest(`DELETE /templates/${id}`)).body.code).toBe('not_found');
    const tool = await key.tool('delete_template', {
      template_id: (await key.rest('POST /templates', { name: 'x' })).body.id,
    });
    expect(tool.structured).toEqual({
      outcome: 'deleted',
      effect: 'Deleted the template "x".',
      template: null,
    });
  });

  test('have HTML or MJML, not both', async () => {
    const { key } = await start();
    const both = await key.rest('POST /templates', { name: 'x', html: '', mjml: '' });
    expect(both.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'mjml', code: 'not_allowed' }],
    });
    const { id } = (await key.rest('POST /templates', { name: 'x', html: 'a' })).body;
    expect((await key.rest(`PATCH /templates/${id}`, { mjml: 'b' })).body.errors).toMatchObject([
      { field: 'mjml' },
    ]);
    expect((await key.rest(`PATCH /templates/${id}`, { name: null })).body.errors).toMatchObject([
      { field: 'name', code: 'invalid_type' },
    ]);
  });

  test('of another project are not there', async () => {
    const { bench, http, key } = await start();
    const { id } = (await key.rest('POST /templates', { name: 'x' })).body;
    const other = await http.makeKey((await bench.makeProject()).project_id, [
      'templates:read',
      'templates:write',
    ]);
    for (const line of [`GET /templates/${id}`, `DELETE /templates/${id}`]) {
      expect((await other.rest(line)).body.code).toBe('not_found');
    }
    expect((await other.rest(`POST /templates/${id}/render`, {})).body.code).toBe('not_found');
  });

  test('are rendered with sample data', async () => {
    const { key } = await start();
    const { id } = (
      await key.rest('POST /templates', {
        name: 'x',
        subject: '{{ subscriber.name }}, news',
        mjml: '<mjml><mj-body><mj-section><mj-column><mj-text>In {{ subscriber.attributes.city }} {{ foo }}</mj-text></mj-column></mj-section></mj-body></mjml>',
      })
    ).body;
    const data = { subscriber: { attributes: { city: 'Åbo' } } };
    const { status, body } = await key.rest(`POST /templates/${id}/render`, { data });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      subject: 'Ana Example, news',
      headers: { Subject: 'Ana Example, news' },
      text: 'In Åbo ',
      warnings: ['mjml: nothing is known as {{ foo }}'],
    });
    expect(body.html).toContain('In Åbo');
    for (const era of eras) {
      expect((await key.tool('render_template', { template_id: id, data }, era)).structured).toEqual(body);
    }
  });

  test('are rendered with the name and the address of their project', async () => {
    const { bench, http } = await start();
    const project = await bench.makeProject({ name: 'Paper & Ink', sender_address: '1 Rose Lane' });
    const key = await http.makeKey(project.project_id, ['templates:write']);
    const text = '{{ project.name }}, {{ project.sender_address }}';
    const { id } = (await key.rest('POST /templates', { name: 'x', text })).body;
    const own = await key.rest(`POST /templates/${id}/render`, {});
    expect(own.body.text).toBe('Paper & Ink, 1 Rose Lane');
    const data = { project: { sender_address: '2 Rose Lane' } };
    const given = await key.rest(`POST /templates/${id}/render`, { data });
    expect(given.body.text).toBe('Paper & Ink, 2 Rose Lane');
  });

  test('tell their errors by line and column', async () => {
    const { key } = await start();
    const { id } = (
      await key.rest('POST /templates', {
        name: 'x',
        subject: '{{ a',
        html: 'one\n  {% if %}',
        text: '{{ subscriber.attributes.x }}',
      })
    ).body;
    const { status, body } = await key.rest(`POST /templates/${id}/render`, {});
    expect(status).toBe(422);
    expect(body.code).toBe('precondition_failed');
    expect(body.errors).toMatchObject([
      { field: 'subject', code: 'template_error', message: expect.stringContaining('(line 1, column 1)') },
      { field: 'html', code: 'template_error', message: expect.stringContaining('(line 2, column 8)') },
    ]);
    expect(body.detail).toContain('html');
    await key.rest(`PATCH /templates/${id}`, { subject: null, html: null });
    const strict = await key.tool('render_template', { template_id: id, strict_variables: true });
    expect(strict.text).toMatch(
      /^precondition_failed: text subscriber\.attributes\.x has no value \(line 1, column 1\)$/,
    );
  });
});

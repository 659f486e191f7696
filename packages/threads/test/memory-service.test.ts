import { readFile } from 'node:fs/promises';
import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { bridgeClient } from '../src/bridge/client.ts';
import { fakeAgent } from '../src/testing/fake-agent.ts';
import { OWNER } from '../src/testing/fake-platform.ts';
import { patience, service } from './service-bench.ts';

describeEngines('memory over REST', (engine) => {
  async function bench() {
    const agent = fakeAgent();
    const at = await service(engine, agent);
    const place = { platform_id: at.platform.id, channel_id: at.platform.channelId };
    const query = new URLSearchParams(place);
    return {
      ...at,
      agent,
      place,
      add: (text: string, more: object = {}) => at.call('POST', '/memory', { ...place, text, ...more }),
      list: async () => (await at.call('GET', `/memory?${query}`)).body.data,
    };
  }

  test('an operator adds, edits and deletes entries, and the record says who did what', async () => {
    const { add, list, call, place, auditFile } = await bench();
    expect((await call('GET', '/memory/channels')).body.data).toEqual([{ ...place, count: 0, is_on: true }]);
    const added = await add(' We deploy\non Tuesdays. ');
    expect(added).toMatchObject({
      status: 201,
      body: {
        ...place,
        index: 1,
        source: 'user',
        author: { id: 'console:ops', name: 'ops' },
        text: 'We deploy on Tuesdays.',
        edited_at: null,
      },
    });
    const { id } = added.body;
    expect(await call('PATCH', `/memory/${id}`, { text: 'We deploy on Fridays.' })).toMatchObject({
      status: 200,
      body: { id, text: 'We deploy on Fridays.', edited_at: expect.any(String) },
    });
    expect(await list()).toMatchObject([{ id, text: 'We deploy on Fridays.' }]);
    expect((await call('GET', '/memory/channels')).body.data).toMatchObject([{ count: 1 }]);
    expect((await call('DELETE', `/memory/${id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
    const record = async () => readFile(auditFile, 'utf8');
    await expect.poll(record, patience).toContain('"act":"forgotten"');
    expect(await record()).toMatch(
      /"actor":"console:ops".*"act":"edited".*"before":.*We deploy on Tuesdays\./,
    );
  });

  test('what cannot be kept is refused with the reason', async () => {
    const { add, call, list } = await bench();
    expect(await add('漢'.repeat(501))).toMatchObject({
      body: { code: 'validation_failed', detail: expect.stringContaining('this has 501') },
    });
    expect(await add(' \u200b ')).toMatchObject({ body: { code: 'validation_failed' } });
    expect((await add('漢'.repeat(500))).status).toBe(201);
    expect(await add('漢'.repeat(500))).toMatchObject({ status: 409 });
    expect((await add('x', { channel_id: 'elsewhere' })).status).toBe(404);
    expect((await add('x', { platform_id: 'none' })).status).toBe(404);
    const gone = 'mem_01HXYZABCDEFGHJKMNPQRSTVWX';
    expect((await call('PATCH', `/memory/${gone}`, { text: 'x' })).status).toBe(404);
    expect((await call('DELETE', `/memory/${gone}`)).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });

  test('an agent saves over the bridge, and the console sees whose session it was', async () => {
    const { platform, agent, list } = await bench();
    agent.behave(async (turn) => {
      await turn.take();
      const client = bridgeClient({ ...turn.process.launch.bridge, clock: systemClock });
      onTestFinished(() => client.close());
      const call = (tool: string, input: Record<string, unknown>) =>
        client.call(tool, input, new AbortController().signal);
      await call('remember_fact', { text: 'Tests run with make.' });
      await turn.say(`answer: ${JSON.stringify(await call('list_memory', {}))}`);
      await turn.finish();
    });
    await platform.say(OWNER, '@postern go');
    const told = await platform.botPost((post) => post.text.includes('Claude saved a channel memory'));
    expect(told.text).toContain('`!memory forget 1`');
    const answer = await platform.botPost((post) => post.text.includes('answer:'));
    expect(answer.text).toContain('Tests run with make.');
    expect(await list()).toMatchObject([
      { source: 'agent', author: { id: OWNER.id, name: OWNER.name }, session_id: expect.any(String) },
    ]);
  });

  test('nobody but an operator sees it', async () => {
    const { anonymous } = await bench();
    for (const path of ['/memory/channels', '/memory?platform_id=fake&channel_id=main']) {
      expect((await anonymous(path)).status).toBe(401);
    }
  });
});

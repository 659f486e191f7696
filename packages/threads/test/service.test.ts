import { readFile } from 'node:fs/promises';
import { systemClock } from '@postern/kit';
import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { bridgeClient } from '../src/bridge/client.ts';
import { type FakeProcess, fakeAgent } from '../src/testing/fake-agent.ts';
import { OWNER } from '../src/testing/fake-platform.ts';
import { patience, service as serviceWith } from './service-bench.ts';

async function service(engine: Engine) {
  const agent = fakeAgent();
  return { agent, ...(await serviceWith(engine, agent)) };
}

/** As the tools' server of an agent's process calls the bot. */
function toolsServer({ launch }: FakeProcess) {
  const client = bridgeClient({ ...launch.bridge, clock: systemClock });
  onTestFinished(() => client.close());
  return (tool: string, input: Record<string, unknown>) =>
    client.call(tool, input, new AbortController().signal);
}

describeEngines('the service', (engine) => {
  test('runs a session whose tool waits for a reaction, and puts the decision on record', async () => {
    const { platform, agent, auditFile } = await service(engine);
    agent.behave(async (turn) => {
      await turn.take();
      const ask = toolsServer(turn.process);
      const answer = await ask('permission_prompt', { tool_name: 'Bash', input: { command: 'make' } });
      await turn.say(`answer: ${JSON.stringify(answer)}`);
      await turn.finish();
    });
    const { threadId } = await platform.say(OWNER, '@postern build it');
    const card = await platform.botPost((post) => post.text.includes('make') && post.threadId === threadId);
    await platform.reactAs(OWNER, card, '+1::skin-tone-3');
    const answer = await platform.botPost((post) => post.text.includes('answer:'));
    expect(answer.text).toContain('allow');
    const record = async () => readFile(auditFile, 'utf8');
    await expect.poll(record, patience).toContain('"action":"permission"');
    expect(await record()).toContain(OWNER.id);
  });

  test('puts what the agent says below what it answers, and below what it has asked', async () => {
    const { platform, agent } = await service(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await platform.botPost((post) => post.text.includes('answer: one'));
    await platform.say(OWNER, 'two', { threadId });
    await platform.botPost((post) => post.text.includes('answer: two'));
    agent.behave(async (turn) => {
      await turn.take();
      await turn.say('before');
      await platform.botPost((post) => post.text.includes('before'));
      await toolsServer(turn.process)('permission_prompt', { tool_name: 'Bash', input: { command: 'make' } });
      await turn.say('after');
      await turn.finish();
    });
    await platform.say(OWNER, 'three', { threadId });
    const card = await platform.botPost((post) => post.text.includes('make'));
    await platform.reactAs(OWNER, card, '+1');
    await platform.botPost((post) => post.text.includes('after'));
    const thread = platform.posts.filter((post) => post.threadId === threadId).map(({ text }) => text);
    expect(thread.slice(1).map((text) => text.split('\n')[0])).toEqual([
      expect.stringContaining('Session started'),
      'answer: one',
      'two',
      'answer: two',
      'three',
      'before',
      expect.stringContaining('Permission'),
      'after',
    ]);
  });

  test('lets an operator decide in place of a reaction, and says so on the platform', async () => {
    const { platform, agent, call } = await service(engine);
    agent.behave(async (turn) => {
      await turn.take();
      const answer = await toolsServer(turn.process)('permission_prompt', {
        tool_name: 'Bash',
        input: { command: 'make' },
      });
      await turn.say(`answer: ${JSON.stringify(answer)}`);
      await turn.finish();
    });
    await platform.say(OWNER, '@postern build it');
    const open = async () => (await call('GET', '/questions?state=open')).body.data;
    await expect.poll(async () => (await open()).length, patience).toBe(1);
    const [question] = await open();
    expect(question).toMatchObject({ kind: 'permission', tool: 'Bash', platform_id: platform.id });
    expect((await call('POST', `/questions/${question.id}/answer`, { option: 'deny' })).status).toBe(204);
    expect((await call('POST', `/questions/${question.id}/answer`, { option: 'allow' })).status).toBe(422);
    expect((await platform.botPost((post) => post.text.includes('answer:'))).text).toContain('deny');
    const closed = (await call('GET', '/questions?state=closed')).body.data;
    expect(closed).toMatchObject([{ decision: { option: 'deny', by: { via: 'console' } } }]);
  });

  test('shows sessions, ends one, and keeps it on record who did', async () => {
    const { platform, call } = await service(engine);
    const first = await platform.say(OWNER, '@postern one');
    await platform.botPost((post) => post.text.includes('answer: one'));
    await platform.say(OWNER, '@postern two');
    await platform.botPost((post) => post.text.includes('answer: two'));
    const page = (await call('GET', '/sessions?limit=1')).body;
    expect(page.data).toMatchObject([{ title: 'two', state: 'active', owner: { id: OWNER.id } }]);
    const next = (await call('GET', `/sessions?limit=1&cursor=${page.next_cursor}`)).body;
    expect(next).toMatchObject({ data: [{ title: 'one', thread_id: first.threadId }], next_cursor: null });
    const { id, permalink } = next.data[0];
    expect(permalink).toBe(`fake://main/${first.postId}`);
    expect((await call('POST', `/sessions/${id}/end`)).body).toMatchObject({ id, state: 'ended' });
    await platform.botPost((post) => post.text.includes('ended by ops in the console'));
    expect((await call('POST', `/sessions/${id}/end`)).status).toBe(422);
    expect((await call('GET', '/sessions?state=live')).body.data).toHaveLength(1);
    expect((await call('GET', `/sessions/${id}`)).body).toMatchObject({ state: 'ended' });
    const lines = (await call('GET', `/audit?platform_id=${platform.id}&action=session_ended`)).body.data;
    expect(lines).toMatchObject([{ actor: 'console:ops', session: id }]);
  });

  test('interrupts a turn for an operator', async () => {
    const { platform, agent, call } = await service(engine);
    agent.behave(async (turn) => {
      await turn.take();
      await turn.say('at it');
    });
    await platform.say(OWNER, '@postern one');
    await platform.botPost((post) => post.text.includes('at it'));
    const [{ id }] = (await call('GET', '/sessions')).body.data;
    expect((await call('POST', `/sessions/${id}/interrupt`)).status).toBe(200);
    await expect
      .poll(async () => (await call('GET', `/sessions/${id}`)).body.state, patience)
      .toBe('interrupted');
  });

  test('tells live which session and which question have changed', async () => {
    const { platform, agent, events, call } = await service(engine);
    agent.behave(async (turn) => {
      await turn.take();
      await toolsServer(turn.process)('permission_prompt', { tool_name: 'Bash', input: { command: 'make' } });
    });
    const stop = new AbortController();
    const { body, headers } = await events(stop.signal);
    expect(headers.get('content-type')).toContain('text/event-stream');
    let seen = '';
    const reading = (async () => {
      for await (const chunk of body!) seen += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await platform.say(OWNER, '@postern one');
    await expect.poll(() => seen, patience).toMatch(/event: question\ndata: {"id":"/);
    const [session] = (await call('GET', '/sessions')).body.data;
    expect(seen).toContain(`event: session\ndata: {"id":"${session.id}"}`);
    stop.abort();
    await reading;
  });

  test('says how its platforms are, and nothing to strangers', async () => {
    const { platform, call, anonymous } = await service(engine);
    expect((await call('GET', '/platforms')).body).toEqual({
      data: [
        {
          id: platform.id,
          kind: 'fake',
          status: 'ok',
          detail: null,
          channel: { id: 'main', name: 'main' },
          bot_name: 'postern',
          permission_mode: 'default',
          features: ['memory', 'files_out', 'record'],
        },
      ],
    });
    expect((await call('GET', '/audit?platform_id=other')).status).toBe(404);
    expect((await call('GET', '/sessions/ses_01HXYZABCDEFGHJKMNPQRSTVWX')).status).toBe(404);
    for (const path of ['/sessions', '/questions', '/platforms', '/audit?platform_id=fake', '/events']) {
      expect((await anonymous(path)).status).toBe(401);
    }
  });
});

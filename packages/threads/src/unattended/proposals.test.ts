import { silentLog } from '@postern/http';
import { systemClock } from '@postern/kit';
import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { Person, Post } from '../platforms/platform.ts';
import { featuresOf } from '../sessions/features.ts';
import { sessionById } from '../sessions/records.ts';
import { ALLOWED, OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, type SessionBench, sessionBench } from '../testing/session-bench.ts';
import { runTool } from '../tools/run-tool.ts';
import type { ToolContext } from '../tools/tool.ts';
import { saveTask } from './tasks.ts';

const DRAFT = {
  name: 'Morning news',
  prompt: 'Sum up what is new.',
  schedule: { preset: 'daily', time: '09:00', timezone: 'Europe/Amsterdam' },
};
const WATCH = {
  name: 'Outages',
  condition: 'someone reports an outage',
  prompt: 'Look at the logs.',
  keywords: ['Down', 'down ', 'OUTAGE'],
};
const GUEST: Person = { id: 'u-guest', name: 'gus', isBot: false };
const on = { behaviour: { routines: true, watches: true, memory: false } };

/** A session of the owner's with a guest in it. */
async function inSession(engine: Engine, options: object = on) {
  const bench = await sessionBench(engine, options);
  const { platform, hears, manager } = bench;
  platform.addPerson(GUEST);
  const { threadId } = await platform.say(OWNER, '@postern begin');
  await hears('answer: begin');
  const [session] = await bench.sessions();
  const sessionId = session?.session_id ?? '';
  await manager.actions.invite(sessionId, GUEST, OWNER);
  return { bench, sessionId, threadId };
}

/** A call of the session's tools server, with what the bot has on record for it now. */
async function call(
  bench: SessionBench,
  sessionId: string,
  tool: string,
  input: Readonly<Record<string, unknown>> = {},
) {
  const row = await sessionById(bench.store.db, sessionId);
  const room = bench.manager.rooms.get(bench.platform.id);
  if (row === null || room === undefined) throw new Error('the session is there');
  const context = {
    platform: bench.platform,
    audit: bench.audit,
    session: {
      id: sessionId,
      channelId: row.channel_id,
      threadId: row.kind === 'channel' ? null : row.thread_id,
      owner: { id: row.owner_id, name: row.owner_name },
      isUnattended: row.is_unattended === 1,
    },
    tasks: room.tasks,
    features: new Set(featuresOf(room.behaviour, row)),
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
  } as unknown as ToolContext;
  return runTool(tool, input, context);
}

const tasks = ({ store }: SessionBench) => store.db.selectFrom('threads_tasks').selectAll().execute();
const ended = (bench: SessionBench, card: Post) =>
  expect.poll(() => bench.platform.posts.find(({ postId }) => postId === card.postId)?.text, patience);

describeEngines('a routine that an agent proposes', (engine) => {
  test('is saved for the owner of the session when an allowed user says yes, and not before', async () => {
    const { bench, sessionId, threadId } = await inSession(engine);
    expect(await call(bench, sessionId, 'propose_routine', DRAFT)).toMatchObject({
      ok: true,
      status: 'proposed_awaiting_human_approval',
    });
    const card = await bench.hears('🕘 Claude proposes routine', threadId);
    expect(card.text).toContain('Asked for in the session of olga, for whom it would run');
    expect(card.text).toContain('every day at 09:00 (Europe/Amsterdam)');
    expect(card.text).toContain('Sum up what is new.');
    expect(card.text).toMatch(/Next: \w{3} \d{4}-\d\d-\d\d 09:00 · /);
    expect(await tasks(bench)).toEqual([]);
    await bench.platform.reactAs(ALLOWED, card, '+1_medium_light_skin_tone');
    await bench.hears(
      '🕘 The routine **Morning news** is saved: every day at 09:00 (Europe/Amsterdam), for olga. `@postern !routines` lists them.',
    );
    expect(await tasks(bench)).toMatchObject([
      { kind: 'routine', name: 'Morning news', created_by: OWNER.id, is_enabled: 1 },
    ]);
    expect(bench.audit.of('proposal')).toMatchObject([{ actor: 'agent', tool: 'propose_routine' }]);
    expect(bench.audit.of('routine')).toMatchObject([
      { actor: ALLOWED.id, details: { decision: 'allow' } },
      { actor: ALLOWED.id, details: { event: 'saved', for: OWNER.id } },
    ]);
    expect(await call(bench, sessionId, 'list_routines')).toEqual({
      ok: true,
      note: expect.stringContaining('untrusted'),
      routines: [
        {
          index: 1,
          name: 'Morning news',
          schedule: { preset: 'daily', time: '09:00', weekday: null, timezone: 'Europe/Amsterdam' },
          enabled: true,
          creator: { id: OWNER.id, name: OWNER.name },
          last_run: null,
        },
      ],
    });
  });

  test('is left open by a guest and a stranger, whose yes is refused and on record', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    const card = await bench.hears('Claude proposes routine');
    await bench.platform.reactAs(GUEST, card, '+1');
    await bench.platform.reactAs(STRANGER, card, '+1');
    await bench.platform.reactAs(OWNER, card, 'eyes');
    await expect
      .poll(() => bench.audit.of('reaction_refused').map(({ actor }) => actor), patience)
      .toEqual([GUEST.id, STRANGER.id]);
    expect(await tasks(bench)).toEqual([]);
    await bench.platform.reactAs(OWNER, card, '+1');
    await bench.hears('is saved');
    expect(await tasks(bench)).toHaveLength(1);
  });

  test('is forgotten when someone who may says no', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    const card = await bench.hears('Claude proposes routine');
    await bench.platform.reactAs(OWNER, card, '-1');
    await ended(bench, card).toContain('**Denied** by olga');
    await expect
      .poll(() => bench.store.db.selectFrom('threads_proposals').selectAll().execute(), patience)
      .toEqual([]);
    expect(await tasks(bench)).toEqual([]);
  });

  test('can be approved in the console', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    await bench.hears('Claude proposes routine');
    const [question] = await bench.questions.list({ state: 'open', limit: 1 });
    await bench.questions.answerFromConsole(question?.id ?? '', 'allow', 'ops');
    await bench.hears('is saved');
    expect(await tasks(bench)).toMatchObject([{ created_by: OWNER.id }]);
  });

  test('is closed by a restart, and a late yes saves nothing', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    const card = await bench.hears('Claude proposes routine');
    await bench.restart();
    await ended(bench, card).toContain('the bot was restarted');
    await ended(bench, card).toContain('Nothing was saved; ask for it anew');
    await bench.platform.reactAs(OWNER, card, '+1');
    await expect
      .poll(() => bench.store.db.selectFrom('threads_proposals').selectAll().execute(), patience)
      .toEqual([]);
    expect(await tasks(bench)).toEqual([]);
  });

  test('is closed by a crash, and a late yes saves nothing', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    const card = await bench.hears('Claude proposes routine');
    await bench.crash();
    await bench.platform.reactAs(OWNER, card, '+1');
    await expect
      .poll(() => bench.store.db.selectFrom('threads_proposals').selectAll().execute(), patience)
      .toEqual([]);
    expect(await bench.questions.list({ state: 'open', limit: 1 })).toEqual([]);
    expect(await tasks(bench)).toEqual([]);
  });

  test('is saved after a restart that came between the yes and the saving, once', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    await bench.hears('Claude proposes routine');
    const by = { id: OWNER.id, name: OWNER.name, via: 'reaction' };
    const { store } = bench;
    // As a process leaves it that is gone in the middle of carrying out the answer.
    const proposals = await store.db.selectFrom('threads_proposals').selectAll().execute();
    await bench.questions.withdrawOf(sessionId, 'superseded');
    await expect
      .poll(() => store.db.selectFrom('threads_proposals').selectAll().execute(), patience)
      .toEqual([]);
    await store.db.insertInto('threads_proposals').values(proposals).execute();
    await store.db
      .updateTable('threads_questions')
      .set({ state: 'decided', decision_json: JSON.stringify({ kind: 'chosen', option: 'allow', by }) })
      .execute();
    await bench.crash();
    await bench.hears('is saved');
    await bench.restart();
    expect(await tasks(bench)).toMatchObject([{ name: 'Morning news', created_by: OWNER.id }]);
  });

  test('is told of after a restart that came between the saving and the news', async () => {
    const { bench, sessionId } = await inSession(engine);
    await call(bench, sessionId, 'propose_routine', DRAFT);
    const card = await bench.hears('Claude proposes routine');
    bench.platform.failNext('post', 'unavailable');
    await bench.platform.reactAs(OWNER, card, '+1');
    await expect.poll(() => tasks(bench), patience).toHaveLength(1);
    await bench.crash();
    await bench.hears('The routine **Morning news** is saved');
    expect(await tasks(bench)).toHaveLength(1);
    await expect
      .poll(() => bench.store.db.selectFrom('threads_proposals').selectAll().execute(), patience)
      .toEqual([]);
    const [saved] = bench.audit.of('routine').filter(({ details }) => details?.event === 'saved');
    expect(saved).toMatchObject({ actor: OWNER.id, details: { for: OWNER.id } });
  });

  test('is forgotten after a restart that came before it was put to anybody', async () => {
    const { bench } = await inSession(engine);
    const row = {
      question_id: 'qst_none',
      platform_id: bench.platform.id,
      channel_id: bench.platform.channelId,
      draft_json: JSON.stringify({ kind: 'routine', ...DRAFT }),
      created_by: OWNER.id,
      creator_name: OWNER.name,
      outcome: null,
    };
    await bench.store.db.insertInto('threads_proposals').values(row).execute();
    await bench.restart();
    await expect
      .poll(() => bench.store.db.selectFrom('threads_proposals').selectAll().execute(), patience)
      .toEqual([]);
    expect(await tasks(bench)).toEqual([]);
  });

  test('is not saved beyond the limit, which counts when it is saved', async () => {
    const { bench, sessionId } = await inSession(engine, { ...on, threads: { limits: { maxRoutines: 1 } } });
    for (const name of ['one', 'two']) await call(bench, sessionId, 'propose_routine', { ...DRAFT, name });
    for (const name of ['one', 'two']) {
      const card = await bench.hears(`routine **${name}**\n`);
      await bench.platform.reactAs(OWNER, card, '+1');
      await bench.hears(name === 'one' ? '**one** is saved' : '**two** was not saved: there are 1 already');
    }
    expect(await tasks(bench)).toMatchObject([{ name: 'one' }]);
  });

  test.each([
    ['name', 'x'.repeat(101), /name has 101 characters; at most 100/],
    ['prompt', '語'.repeat(4_001), /prompt has 4001 characters/],
    ['prompt', ' ', /prompt is empty/],
    ['schedule', { preset: 'daily', time: '25:00' }, /HH:MM/],
    ['schedule', { preset: 'daily', time: '09:00', timezone: 'Nowhere' }, /IANA/],
  ])('is refused and not cut when its %s will not do', async (field, value, reason) => {
    const { bench, sessionId } = await inSession(engine);
    expect(await call(bench, sessionId, 'propose_routine', { ...DRAFT, [field]: value })).toEqual({
      ok: false,
      reason: expect.stringMatching(reason),
    });
    expect(await bench.questions.list({ limit: 10 })).toEqual([]);
  });

  test('is refused in an unattended session, with its tool and without', async () => {
    const { bench, sessionId } = await inSession(engine);
    await bench.store.db.updateTable('threads_sessions').set({ is_unattended: 1 }).execute();
    for (const [tool, draft] of [
      ['propose_routine', DRAFT],
      ['propose_watch', WATCH],
    ] as const) {
      expect(await call(bench, sessionId, tool, draft)).toEqual({
        ok: false,
        reason: 'This session has no such tool.',
      });
    }
    expect(await call(bench, sessionId, 'list_routines')).toMatchObject({ ok: true });
    const [launch] = bench.agent.processes.map((process) => process.launch.features);
    expect(launch).toContain('routine_proposals');
  });

  test('is refused where the whole channel is one session, which may list them', async () => {
    const { bench, sessionId } = await inSession(engine, {
      behaviour: { ...on.behaviour, directChannelMode: 'all_messages' },
    });
    expect(await call(bench, sessionId, 'propose_routine', DRAFT)).toMatchObject({ ok: false });
    expect(await call(bench, sessionId, 'list_routines')).toMatchObject({ ok: true, routines: [] });
    await bench.platform.say(OWNER, '!routine every day at 9 sum up');
    await bench.hears('where the whole channel is one session there are no new ones');
    await bench.platform.say(OWNER, '!watches');
    await bench.hears('There are no watches here. Watches are made in threads');
  });

  test('is refused where routines are off', async () => {
    const { bench, sessionId } = await inSession(engine, {});
    for (const tool of ['propose_routine', 'list_routines', 'propose_watch', 'list_watches']) {
      expect(await call(bench, sessionId, tool, DRAFT)).toEqual({
        ok: false,
        reason: 'This session has no such tool.',
      });
    }
    await bench.platform.say(OWNER, '@postern !routines');
    await bench.hears('Routines are off here');
    await bench.platform.say(OWNER, '@postern !help');
    expect((await bench.hears('**Commands**')).text).not.toMatch(/!routine|!watch/);
  });
});

describeEngines('a watch that an agent proposes', (engine) => {
  test('is saved on a yes with its keywords folded and each once, and is set off from then on', async () => {
    const { bench, sessionId } = await inSession(engine);
    bench.agent.whenAsked(async () => 'YES');
    expect(await call(bench, sessionId, 'propose_watch', WATCH)).toMatchObject({
      status: 'proposed_awaiting_human_approval',
    });
    const card = await bench.hears('👁️ Claude proposes watch');
    await bench.platform.reactAs(OWNER, card, '+1');
    await bench.hears('The watch **Outages** is saved');
    expect(await call(bench, sessionId, 'list_watches')).toMatchObject({
      watches: [{ name: 'Outages', condition: 'someone reports an outage', keywords: ['down', 'outage'] }],
    });
    await bench.platform.say(STRANGER, 'the site is DOWN');
    const root = await bench.hears('**Unattended session** of the watch **Outages**');
    await bench.hears('answer: Look at the logs.', root.postId);
    const [session] = await bench.sessions();
    expect(session).toMatchObject({ is_unattended: 1, owner_id: OWNER.id, thread_id: root.postId });
    const { launch } = await bench.agent.process(1);
    expect(launch.systemPrompt).toContain('This session is unattended');
    expect(launch.features).toEqual(['routines', 'watches']);
    await expect
      .poll(() => bench.store.db.selectFrom('threads_fires').select(['state', 'outcome']).execute(), patience)
      .toEqual([{ state: 'done', outcome: 'succeeded' }]);
  });

  test.each([
    ['none', [' '], /needs a keyword/],
    ['a heap', Array.from({ length: 300 }, (_, index) => `word ${index}`), /at most 20 keywords/],
  ])('is refused with keywords that will not do: %s', async (_what, keywords, reason) => {
    const { bench, sessionId } = await inSession(engine);
    expect(await call(bench, sessionId, 'propose_watch', { ...WATCH, keywords })).toEqual({
      ok: false,
      reason: expect.stringMatching(reason),
    });
  });
});

describeEngines('!routine', (engine) => {
  const answer = JSON.stringify({ ...DRAFT, schedule: { preset: 'weekdays', time: '9:00' } });

  test('shows what was understood, and saves it on a yes', async () => {
    const bench = await sessionBench(engine, on);
    bench.agent.whenAsked(async () => `Here you are:\n\`\`\`json\n${answer}\n\`\`\``);
    const { threadId } = await bench.platform.say(
      OWNER,
      '@postern !routine every weekday at 9\nsum up what is new',
    );
    const card = await bench.hears('🕘 New routine **Morning news**', threadId);
    expect(bench.agent.asked[0]).toContain('every weekday at 9\nsum up what is new');
    expect(card.text).toContain('Asked for by olga, for whom it would run');
    expect(card.text).toContain('Monday to Friday at 09:00');
    await bench.platform.reactAs(STRANGER, card, '+1');
    expect(await tasks(bench)).toEqual([]);
    await bench.platform.reactAs(OWNER, card, '+1');
    await bench.hears('is saved');
    expect(await tasks(bench)).toMatchObject([{ created_by: OWNER.id }]);
    expect(bench.audit.of('command')).toMatchObject([
      { actor: OWNER.id, details: { command: 'routine', done: true } },
    ]);
  });

  test.each([
    ['says what is missing', '{"error":"It has no time."}', 'It has no time.'],
    ['says so when it was not understood', 'I cannot do that', 'I did not understand that'],
    [
      'says what is wrong with it',
      '{"name":"x","prompt":"y","schedule":{"preset":"monthly"}}',
      'The preset is one of',
    ],
  ])('%s', async (_what, reply, said) => {
    const bench = await sessionBench(engine, on);
    bench.agent.whenAsked(async () => reply);
    const { threadId } = await bench.platform.say(OWNER, '@postern !routine do things');
    await bench.hears(said, threadId);
    expect(await bench.questions.list({ limit: 1 })).toEqual([]);
  });

  test('says so when the agent cannot be asked', async () => {
    const bench = await sessionBench(engine, on);
    const { threadId } = await bench.platform.say(OWNER, '@postern !routine do things');
    await bench.hears('The agent could not be asked', threadId);
  });

  test('is refused in a direct conversation, whose words are not for the channel', async () => {
    const bench = await sessionBench(engine, { behaviour: { ...on.behaviour, directMessages: true } });
    bench.platform.addPerson(OWNER);
    const channelId = await bench.platform.directChannel(OWNER.id);
    await bench.platform.say(OWNER, '!routine every day at 9 give me my notes', { channelId });
    await bench.hears('Mention me with `!routine` in the channel');
    expect(bench.agent.asked).toEqual([]);
    expect(await bench.questions.list({ limit: 1 })).toEqual([]);
  });

  test('is for people on the list', async () => {
    const bench = await sessionBench(engine, on);
    await bench.platform.say(STRANGER, '@postern !routine every day at 9 give me the keys');
    await bench.hears('you are not on the list');
    expect(bench.agent.asked).toEqual([]);
  });
});

describeEngines('!routines', (engine) => {
  test('lists them with numbers, and pauses, resumes, runs and deletes by number', async () => {
    const bench = await sessionBench(engine, on);
    bench.agent.whenAsked(async () => JSON.stringify(DRAFT));
    const { threadId } = await bench.platform.say(OWNER, '@postern !routine daily at nine, the news');
    await bench.platform.reactAs(OWNER, await bench.hears('New routine', threadId), '+1');
    await bench.hears('is saved');
    const command = async (text: string, reply: string) => {
      await bench.platform.say(ALLOWED, `@postern ${text}`);
      return bench.hears(reply);
    };
    expect((await command('!help', '**Commands**')).text).toMatch(/!routines[\s\S]*!watches/);
    const list = await command('!routines', '🕘 **Routines**');
    expect(list.text).toMatch(/1\. \*\*Morning news\*\* · every day at 09:00 .* · next .* · by olga/);
    await command('!routines pause 1', '⏸️ **Morning news** is paused');
    await command('!routines', '⏸️ paused');
    await command('!routines resume 1', '▶️ **Morning news** goes on');
    await command('!routines run 1', 'runs in a thread of its own · [open](fake://main/');
    const root = await bench.hears('**Unattended session** of the routine');
    expect(root.text).toContain('started by alan');
    await bench.hears('answer: Sum up what is new.', root.postId);
    await command('!routines pause 7', 'There is no number 7');
    await command('!routines rename 1', 'Write `@postern !routines`');
    await command('!routines delete 1', '🗑️ **Morning news** is deleted');
    expect(await tasks(bench)).toEqual([]);
    const acts = bench.audit.of('routine').flatMap(({ actor, details }) => {
      const { event, name } = details ?? {};
      return typeof event === 'string' && event !== 'saved' ? [`${actor} ${event} ${name}`] : [];
    });
    expect(acts).toEqual(
      ['pause', 'resume', 'run', 'delete'].map((event) => `${ALLOWED.id} ${event} Morning news`),
    );
  });

  test('says so when a run that somebody wants has to wait', async () => {
    const bench = await sessionBench(engine, { ...on, threads: { limits: { maxSessions: 1 } } });
    await saved(bench);
    bench.agent.behave(async (turn) => void (await turn.take()));
    await bench.platform.say(OWNER, '@postern work on');
    await expect.poll(() => bench.agent.processes.length, patience).toBe(1);
    await bench.platform.say(OWNER, '@postern !routines run 1');
    await bench.hears('⏳ **Morning news** waits for a place');
  });

  test('name whoever made it once when that person has it run', async () => {
    const bench = await sessionBench(engine, on);
    await saved(bench);
    await bench.platform.say(OWNER, '@postern !routines run 1');
    const root = await bench.hears('**Unattended session** of the routine');
    expect(root.text).toContain('· started by hand · for olga\n');
  });

  test('list and delete one that this server cannot run, beside those that it can', async () => {
    const bench = await sessionBench(engine, on);
    for (const id of ['rtn_1', 'rtn_2', 'rtn_3']) await saved(bench, id);
    const spec = { preset: 'daily', time: '09:00', weekday: null, timezone: 'Mars/Olympus' };
    for (const [id, json] of [
      ['rtn_1', JSON.stringify(spec)],
      ['rtn_2', 'no JSON'],
    ] as const)
      await bench.store.db
        .updateTable('threads_tasks')
        .set({ spec_json: json })
        .where('task_id', '=', id)
        .execute();
    await bench.platform.say(OWNER, '@postern !routines');
    const list = (await bench.hears('🕘 **Routines**')).text;
    expect(list).toMatch(/1\..*cannot run: its time zone Mars\/Olympus is not known to this server/);
    expect(list).toMatch(/2\..*cannot run: what is on record of it cannot be read/);
    expect(list).toMatch(/3\..*next /);
    await bench.platform.say(OWNER, '@postern !routines delete 2');
    await bench.hears('is deleted');
    expect(await tasks(bench)).toHaveLength(2);
  });

  test('run nothing where the whole channel is one session', async () => {
    const bench = await sessionBench(engine, {
      behaviour: { ...on.behaviour, directChannelMode: 'all_messages' },
    });
    await saved(bench);
    await bench.platform.say(OWNER, '!routines run 1');
    await bench.hears('do not run where the whole channel is one session');
    expect(await bench.store.db.selectFrom('threads_fires').selectAll().execute()).toEqual([]);
  });

  function saved({ store, platform }: SessionBench, task_id = 'rtn_1') {
    const { schedule, ...draft } = DRAFT;
    return store.transaction((tx) =>
      saveTask(
        tx,
        { kind: 'routine', ...draft, schedule: { ...schedule, preset: 'daily', weekday: null } },
        {
          task_id,
          platform_id: platform.id,
          channel_id: platform.channelId,
          created_by: OWNER.id,
          creator_name: OWNER.name,
          created_us: systemClock.nowMicroseconds(),
        },
        10,
      ),
    );
  }
});

describeEngines('an unattended session', (engine) => {
  /** A routine that was run by hand. */
  async function running(options: object = on) {
    const bench = await sessionBench(engine, options);
    bench.agent.whenAsked(async () => JSON.stringify(DRAFT));
    await bench.platform.say(OWNER, '@postern !routine daily at nine, the news');
    await bench.platform.reactAs(OWNER, await bench.hears('New routine'), '+1');
    await bench.hears('is saved');
    await bench.platform.say(OWNER, '@postern !routines run 1');
    const root = await bench.hears('**Unattended session**');
    return { bench, root };
  }
  const outcome = (bench: SessionBench) =>
    expect.poll(async () => {
      const fire = await bench.store.db.selectFrom('threads_fires').selectAll().executeTakeFirst();
      return fire?.outcome ?? fire?.state;
    }, patience);

  test('goes on after a crash, and its run ends as its task does', async () => {
    const { bench, root } = await running();
    await outcome(bench).toBe('succeeded');
    expect(bench.said(root.postId)).toHaveLength(2);
    await bench.crash();
    await bench.platform.say(OWNER, 'more', { threadId: root.postId });
    await bench.hears('answer: more', root.postId);
    await outcome(bench).toBe('succeeded');
  });

  test('is settled after a crash that came between the end of its task and the record of it', async () => {
    const { bench } = await running();
    await outcome(bench).toBe('succeeded');
    await bench.store.db.updateTable('threads_fires').set({ state: 'running', outcome: null }).execute();
    await bench.crash();
    await outcome(bench).toBe('succeeded');
  });

  test('is ended by its creator by a reaction on its first post', async () => {
    const { bench, root } = await running();
    await outcome(bench).toBe('succeeded');
    await bench.platform.reactAs(OWNER, root, 'x');
    await bench.hears('This session is over: ended by @olga', root.postId);
  });

  test('whose agent fails counts as a run that failed', async () => {
    const bench = await sessionBench(engine, on);
    bench.agent.whenAsked(async () => JSON.stringify(DRAFT));
    await bench.platform.say(OWNER, '@postern !routine daily at nine, the news');
    await bench.platform.reactAs(OWNER, await bench.hears('New routine'), '+1');
    await bench.hears('is saved');
    bench.agent.failNextLaunch('rejects');
    await bench.platform.say(OWNER, '@postern !routines run 1');
    await outcome(bench).toBe('failed');
    expect(await tasks(bench)).toMatchObject([{ failures: 1 }]);
  });
});

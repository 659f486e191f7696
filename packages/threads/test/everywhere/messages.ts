import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MakeHarness, openStage, patience, type Stage, until } from './stage.ts';

/** What people write and send, take back and change, and what comes through a connection that breaks. */
export function messages(makeHarness: MakeHarness): void {
  describe('messages', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(makeHarness);
    });
    afterAll(() => stage.close());

    test('bring files to the agent, which sends one back and none from elsewhere', async () => {
      const { harness, ada } = stage;
      const bytes = Buffer.from('seven words in a file of text');
      const thread = await stage.begin(ada, 'look at this', [
        { name: 'notes.txt', mime: 'text/plain', bytes },
      ]);
      const answer = await stage.hears('You said: look at this', thread);
      const path = /(\/\S*notes\.txt)/.exec(await stage.reads(answer))?.[1] ?? '';
      expect(await readFile(path)).toEqual(bytes);

      const file = join(stage.workDir, 'result.csv');
      await writeFile(file, 'one,two\n');
      const send = (what: object) => `[[call send_file ${JSON.stringify(what)}]] [[echo]]`;
      await stage.say(ada, send({ path: file, caption: 'here it is' }), thread);
      await stage.hears('"ok": true', thread);
      const post = await stage.hears('here it is', thread);
      const sent = await harness.serverFiles(post);
      expect(sent.map(({ name, bytes: given }) => [name, Buffer.from(given).toString()])).toEqual([
        ['result.csv', 'one,two\n'],
      ]);
      await stage.say(ada, send({ path: '/etc/hosts' }), thread);
      await stage.hears('"ok": false', thread);
      expect(await stage.record('file_sent')).toHaveLength(1);
      await stage.finish(thread);
    });

    test('that wait are changed and taken back by their authors until their turn', async () => {
      const { harness, ada } = stage;
      const thread = await stage.begin(ada, '[[say at work]] [[wait]]');
      await stage.hears('at work', thread);
      await stage.say(ada, 'first', thread);
      const second = await stage.say(ada, 'second', thread);
      const third = await stage.say(ada, 'third', thread);
      await stage.say(ada, 'fourth', thread);
      await harness.delete(ada, second);
      await harness.edit(ada, third, 'third, but better');
      await stage.say(ada, '!escape', thread);
      await stage.hears('You said: fourth', thread);
      await stage.say(ada, '[[history]]', thread);
      await stage.hears('"first","third, but better","fourth","[[history]]"]', thread);
      await stage.finish(thread);
    });

    test('and reactions of a lost connection are handled once and in order when it is back', async () => {
      const { harness, ada, ben } = stage;
      const thread = await stage.begin(ada, '[[ask Bash {"command":"make amends"}]] [[echo]]');
      const card = await stage.card('make amends');
      await harness.goOffline();
      await until(
        async () => (await stage.call('GET', '/platforms')).body.data[0].status !== 'ok',
        'it is away',
      );
      await stage.say(ada, 'two', thread);
      await harness.react(ben, card, 'eyes');
      await harness.react(ben, card, harness.withSkinTone('+1'));
      await stage.say(ada, 'three', thread);
      const other = await harness.say(ben, '{bot} meanwhile elsewhere');
      await harness.goOnline();
      await stage.hears('ran {"command":"make amends"}', thread);
      await stage.hears('You said: meanwhile elsewhere', { ...other, threadId: other.postId });
      await stage.hears('You said: three', thread);

      harness.faults.repeatNextEvent?.();
      await stage.say(ada, 'four', thread);
      await stage.hears('You said: four', thread);
      await harness.dropConnections();
      await stage.say(ada, 'five', thread);
      await stage.hears('You said: five', thread);
      await stage.say(ada, '[[history]]', thread);
      await stage.hears('"two","three","four","five","[[history]]"]', thread);
      await expect.poll(() => stage.reads(card), patience).toContain('Allowed once by ben');
      expect(await stage.record('permission')).toHaveLength(1);
      await stage.finish({ ...other, threadId: other.postId });
      await stage.finish(thread);
    });
  });
}

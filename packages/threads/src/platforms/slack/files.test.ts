import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fakeSlack } from '../../testing/fakes/slack/fake-slack.ts';
import { slackOn } from '../../testing/fakes/slack/harness.ts';
import { isFileUrl } from './files.ts';
import { BOT_SCOPES } from './scopes.ts';

async function start() {
  const slack = await fakeSlack();
  onTestFinished(() => slack.stop());
  const ada = slack.addUser('ada');
  const channelId = slack.addChannel('general', { members: [slack.world.bot.id, ada] });
  const bytes = Buffer.from('what is in it');
  const said = slack.say(ada, channelId, 'look', { files: [{ name: 'a.txt', mime: 'text/plain', bytes }] });
  const platform = slackOn(slack, channelId);
  const [file] = (await platform.readPost({ channelId, postId: said.ts }))?.files ?? [];
  return { slack, channelId, platform, file: file!, bytes };
}

test('only Slack’s own file hosts are given the token', () => {
  for (const url of ['https://files.slack.com/files-pri/T0-F0/a.txt', 'https://files.slack-gov.com/x']) {
    expect([url, isFileUrl(url)]).toEqual([url, true]);
  }
  for (const url of [
    'http://files.slack.com/a',
    'https://files.slack.com.evil.example/a',
    'https://files.slack.com@evil.example/a',
    'https://files.slack.com:444/a',
    'https://evil.example/files.slack.com',
    'https://docs.google.com/a',
    'nothing',
  ]) {
    expect([url, isFileUrl(url)]).toEqual([url, false]);
  }
});

test('the token does not follow a file to another server', async () => {
  const { slack, platform, file } = await start();
  const seen: unknown[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('x');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const foreign = `http://127.0.0.1:${(other.address() as AddressInfo).port}/a.txt`;
  slack.world.files.get(file.id)!.url = foreign;
  await expect(platform.download(file, { maxBytes: 100 })).rejects.toMatchObject({ code: 'unsupported' });
  expect(seen).toEqual([]);
});

test('the page for signing in is no file', async () => {
  const { slack, platform, file, bytes } = await start();
  expect(Buffer.from(await platform.download(file, { maxBytes: 100 })).equals(bytes)).toBe(true);
  slack.refuseFiles();
  await expect(platform.download(file, { maxBytes: 100 })).rejects.toMatchObject({ code: 'unauthorized' });
});

test('without files:write an upload is refused, and says what is missing', async () => {
  const { slack, channelId, platform } = await start();
  slack.setScopes(Object.keys(BOT_SCOPES).filter((scope) => scope !== 'files:write'));
  const upload = platform.upload(fileOf(channelId, 'hi', 2));
  await expect(upload).rejects.toMatchObject({
    code: 'unauthorized',
    message: expect.stringContaining('files:write'),
  });
});

test('a file that is not as long as it was said to be is not posted', async () => {
  const { slack, channelId, platform } = await start();
  const before = slack.world.messages.get(channelId)?.length;
  await expect(platform.upload(fileOf(channelId, 'longer than said', 3))).rejects.toMatchObject({
    code: 'refused',
  });
  expect(slack.world.messages.get(channelId)?.length).toBe(before);
});

test('an upload whose answer is lost is found and not sent again', async () => {
  const { slack, channelId, platform } = await start();
  slack.failNext('files.completeUploadExternal', { kind: 'answerLost' });
  const ref = await platform.upload(fileOf(channelId, 'hi', 2));
  expect(slack.world.find(channelId, ref.postId)?.files[0]?.name).toBe('out.txt');
  expect(slack.world.messages.get(channelId)).toHaveLength(2);
});

function fileOf(channelId: string, content: string, sizeBytes: number) {
  async function* read() {
    yield Buffer.from(content);
  }
  const rest = { threadId: null, name: 'out.txt', mime: 'text/plain', caption: null };
  return { channelId, ...rest, sizeBytes, content: read() };
}

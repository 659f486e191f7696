import { describe, expect, test } from 'vitest';
import { parsePermalink, permalinkOf } from './permalinks.ts';

const workspace = { teamId: 'T0TEAM', teamUrl: 'https://acme.slack.com/' };
const root = { channelId: 'C0GENERAL', postId: '1700000000.000100', threadId: null };
const inThread = { ...root, threadId: '1690000000.000200' };

const ours: Record<string, object> = {
  'https://acme.slack.com/archives/C0GENERAL/p1700000000000100': root,
  'https://acme.slack.com/archives/C0GENERAL/p1700000000000100/': root,
  '<https://acme.slack.com/archives/C0GENERAL/p1700000000000100|here>': root,
  'https://acme.slack.com/archives/C0GENERAL/p1700000000000100?thread_ts=1690000000.000200&cid=C0GENERAL':
    inThread,
  '<https://acme.slack.com/archives/C0GENERAL/p1700000000000100?thread_ts=1690000000.000200&amp;cid=C0GENERAL>':
    inThread,
  'https://app.slack.com/client/T0TEAM/C0GENERAL/p1700000000000100': root,
  'https://app.slack.com/client/T0TEAM/C0GENERAL/thread/C0GENERAL-1690000000.000200': {
    channelId: 'C0GENERAL',
    postId: '1690000000.000200',
    threadId: '1690000000.000200',
  },
};

const foreign = [
  'https://evil.slack.com/archives/C0GENERAL/p1700000000000100',
  'https://acme.slack.com.evil.example/archives/C0GENERAL/p1700000000000100',
  'https://acme.slack.com@evil.example/archives/C0GENERAL/p1700000000000100',
  'https://acme.slack.com:8443/archives/C0GENERAL/p1700000000000100',
  'http://acme.slack.com/archives/C0GENERAL/p1700000000000100',
  'https://acme.slack.com/archives/general/p1700000000000100',
  'https://acme.slack.com/archives/C0GENERAL/p1700000000000100?cid=C0OTHER00',
  'https://acme.slack.com/archives/C0GENERAL/p17',
  'https://acme.slack.com/archives/C0GENERAL',
  'https://app.slack.com/client/T0OTHER/C0GENERAL/p1700000000000100',
  'https://app.slack.com/client/T0TEAM/C0GENERAL/thread/C0OTHER00-1690000000.000200',
  'https://app.slack.com/client/T0TEAM/C0GENERAL',
  'not a link',
];

describe('permalinks', () => {
  for (const [link, permalink] of Object.entries(ours)) {
    test(`${link} is read`, () => expect(parsePermalink(link, workspace)).toEqual(permalink));
  }
  for (const link of foreign) {
    test(`${link} is none of ours`, () => expect(parsePermalink(link, workspace)).toBeNull());
  }
  test('a post has one', () => {
    expect(permalinkOf(root, workspace)).toBe('https://acme.slack.com/archives/C0GENERAL/p1700000000000100');
  });
});

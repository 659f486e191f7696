import { describe, expect, test } from 'vitest';
import { readMrkdwn } from './inbound.ts';

const names = {
  person: async (id: string) => ({ U0ADA: 'ada', U0BEN: 'Ben B' })[id] ?? null,
  channel: async (id: string) => (id === 'C0GEN' ? 'general' : null),
};

const cases: Record<string, [slack: string, text: string]> = {
  'entities are undone, once': ['a &lt; b &amp;&amp; c &gt; d &amp;lt;', 'a < b && c > d &lt;'],
  'people have their names': ['<@U0ADA> ask <@U0BEN|ben>', '@ada ask @Ben B'],
  'whom nobody knows keeps the id': ['<@U0NOBODY>', '@U0NOBODY'],
  'channels have their names': [
    '<#C0GEN> <#C0GEN|> <#C0OTHER|other> <#C0OTHER>',
    '#general #general #other #C0OTHER',
  ],
  'calls to everybody are words': [
    '<!here> <!channel> <!subteam^S1|@team> <!date^1^{date}|today>',
    '@here @channel @team today',
  ],
  'a link is its address': ['<https://a.example/?x=1&amp;y=2>', 'https://a.example/?x=1&y=2'],
  'a link with a label has both': ['<https://a.example|the docs>', 'the docs (https://a.example)'],
  'what Slack made a link of by itself is as it was typed': [
    'run <http://foo.sh|foo.sh> or mail <mailto:a@b.example|a@b.example>',
    'run foo.sh or mail a@b.example',
  ],
  'typed angle brackets are no mention': ['&lt;@U0ADA&gt; &lt;!here&gt;', '<@U0ADA> <!here>'],
};

describe('a text of Slack’s', () => {
  for (const [name, [slack, text]] of Object.entries(cases)) {
    test(name, async () => expect((await readMrkdwn(slack, names)).text).toBe(text));
  }

  test('the mentions are listed with their ids, in the order of the text', async () => {
    const { mentions } = await readMrkdwn('<@U0BEN> and <@U0ADA>, not <#C0GEN>', names);
    expect(mentions).toEqual([
      { text: '@Ben B', personId: 'U0BEN' },
      { text: '@ada', personId: 'U0ADA' },
    ]);
  });
});

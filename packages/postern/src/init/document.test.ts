import { describe, expect, test } from 'vitest';
import { Refusal } from '../secrets/data-folder.ts';
import type { Draft } from './answers.ts';
import { threadsDocument } from './document.ts';

const local: Draft = {
  id: 'local',
  platform: { type: 'local', channel: { id: 'local:agents', name: null }, botName: 'postern' },
  people: [{ id: 'olga', name: null }],
  permissionMode: 'default',
};

const mattermost: Draft = {
  id: 'work',
  platform: {
    type: 'mattermost',
    url: 'https://chat.example.com',
    token: { value: 'the-token', variable: 'MATTERMOST_TOKEN' },
    channel: { id: '4xp9fdt77pncbef59f4k1qe83o', name: '#agents' },
    botName: 'postern',
  },
  people: [{ id: '8xp9fdt77pncbef59f4k1qe83o', name: 'olga' }],
  permissionMode: 'auto',
};

const EXISTING = `# The hub of the harbour office.
port: 8090 # the old one is taken

threads:
  # Shared with the nightly jobs.
  workingDir: ~/work
  limits: { maxSessions: 2 }
  platforms:
    # The one for trials.
    - id: local
      type: local
      channelId: local:trials
      allowedUsers: [ ana ] # not ben
      ackReaction: eyes

inbox:
  rateLimit: { perSecond: 1, burst: 5 }
`;

function changed(text: string | null, draft: Draft): string {
  const document = threadsDocument(text, 'postern.yaml');
  document.put(draft);
  return document.toString();
}

describe('the threads section', () => {
  test('is made where there is no file', () => {
    const document = threadsDocument(null, 'postern.yaml');
    document.put(local);
    document.setWorkingDir('./work');
    expect(document.toString()).toMatch(
      /^#.*\n\nthreads:\n {2}workingDir: \.\/work\n {2}platforms:\n {4}- id: local\n/,
    );
  });

  test('gets another platform, and all else in the file stays as it was', () => {
    const text = changed(EXISTING, mattermost);
    const [before = '', after = ''] = EXISTING.split('\ninbox:');
    expect(text.startsWith(before)).toBe(true);
    expect(text.endsWith(`\ninbox:${after}`)).toBe(true);
    expect(text).toContain(`    - id: work
      type: mattermost
      url: https://chat.example.com
      token: \${MATTERMOST_TOKEN}
      channelId: 4xp9fdt77pncbef59f4k1qe83o # #agents
      botName: postern
      allowedUsers:
        - 8xp9fdt77pncbef59f4k1qe83o # olga
      permissionMode: auto
`);
  });

  test('keeps what is not asked for of a platform that is changed', () => {
    const text = changed(EXISTING, local);
    expect(text).toContain('channelId: local:agents');
    expect(text).toContain('ackReaction: eyes');
    expect(text).toContain('# The one for trials.');
    expect(text).not.toMatch(/local:trials|ana/);
  });

  test('keeps nothing of a platform that becomes one of another kind', () => {
    const text = changed(EXISTING, { ...mattermost, id: 'local' });
    expect(text).not.toMatch(/local:trials|ackReaction/);
    expect(text.match(/- id:/g)).toHaveLength(1);
  });

  test('holds a token that was typed, quoted where YAML would take it for something else', () => {
    const typed = { value: '0123456789', variable: null };
    const text = changed(null, {
      ...mattermost,
      platform: { ...mattermost.platform, token: typed } as never,
    });
    expect(text).toContain('token: "0123456789"');
  });

  test('takes no line break of a name into the file', () => {
    const name = 'olga\n      permissionMode: bypass';
    const text = changed(null, { ...mattermost, people: [{ id: 'u1', name }] });
    expect(text).toContain('- u1 # olga permissionMode: bypass\n');
  });

  test.each([
    ['threads: yes please', /threads in postern\.yaml is no mapping/],
    ['threads: { platforms: none }', /threads\.platforms in postern\.yaml is no list/],
    ['- a list', /postern\.yaml is no mapping/],
    ['port: 8080\nport: "secret', /^postern\.yaml:2 is no valid YAML/],
  ])('is refused where the file holds %j', (text, reason) => {
    expect(() => threadsDocument(text, 'postern.yaml')).toThrow(Refusal);
    expect(() => threadsDocument(text, 'postern.yaml')).toThrow(reason);
  });

  test.each(['', '# nothing yet\n', 'threads:\n', 'threads:\n  platforms: []\n'])(
    'is begun in a file that holds %j',
    (text) => {
      expect(changed(text, local)).toMatch(/threads:\n {2}platforms:\n {4}- id: local\n/);
    },
  );
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig, loadHubConfig } from './load.ts';
import { ConfigError, describeProblem } from './problem.ts';

const STRONG = 'kestrel-orbit-94-lantern-moss';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Given {
  readonly yaml?: string;
  readonly environment?: Record<string, string>;
  readonly flags?: Record<string, string>;
  readonly files?: Record<string, string>;
}

function load({ yaml, environment = {}, flags = {}, files = {} }: Given) {
  if (yaml !== undefined) writeFileSync(join(folder, 'postern.yaml'), yaml);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return loadConfig({ environment, flags, workingDirectory: folder });
}

function problems(given: Given): string[] {
  try {
    load(given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toContain('\n');
    return error.problems.map(describeProblem);
  }
  return [];
}

describe('what is used', () => {
  test('a hub that runs is found whatever its services lack', () => {
    const yaml = `dataDir: ./state\ninbox:\n  bearerToken: ${STRONG}\n  connectors: { discord: { token: "\${NOT_SET}" } }\n`;
    expect(problems({ yaml })).toHaveLength(1);
    const { config } = loadHubConfig({ environment: {}, flags: {}, workingDirectory: folder });
    expect(config).toMatchObject({ dataDir: join(folder, 'state'), port: 8080 });
    expect(config.bearerToken?.reveal()).toBe(STRONG);
    expect(config).not.toHaveProperty('inbox');
  });

  test('the variables that a value came from are told, by file where they name one', () => {
    const { variables } = load({
      yaml: `inbox:\n  connectors: { discord: { token: "\${BOT}" } }\nclaudePath: "\${TOOLS}/claude"\n`,
      environment: {
        BOT_FILE: join(folder, 'bot'),
        TOOLS: '/opt',
        POSTERN_PORT: '0',
        AMC_BEARER_TOKEN: STRONG,
        OTHER: 'x',
      },
      files: { bot: 'abc.def.ghi\n' },
    });
    expect(variables).toEqual([
      { name: 'AMC_BEARER_TOKEN', value: STRONG, isSecret: true },
      { name: 'BOT_FILE', value: join(folder, 'bot'), isSecret: false },
      { name: 'POSTERN_PORT', value: '0', isSecret: false },
      { name: 'TOOLS', value: '/opt', isSecret: true },
    ]);
  });

  test('defaults without file, flags or environment', () => {
    const { config, warnings } = load({});
    expect(config).toMatchObject({
      file: null,
      dataDir: join(folder, 'data'),
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      databaseUrl: null,
      adminKey: null,
      bearerToken: null,
      logLevel: 'info',
      inbox: { pairing: 'off', connectors: { local: { enabled: true } } },
    });
    expect(warnings).toEqual([]);
  });

  test('a flag beats the environment, which beats the file', () => {
    const yaml = 'port: 1001\nhost: 127.0.0.2\nlogLevel: warn\n';
    const environment = { POSTERN_PORT: '1002', POSTERN_HOST: '127.0.0.3' };
    const { config } = load({ yaml, environment, flags: { port: '1003' } });
    expect([config.port, config.host, config.logLevel]).toEqual([1003, '127.0.0.3', 'warn']);
  });

  test('an empty variable counts as unset', () => {
    expect(load({ environment: { POSTERN_PORT: '', POSTERN_PUBLIC_URL: '' } }).config.port).toBe(8080);
  });

  test('values of the file may come from the environment, with the type that is wanted', () => {
    const yaml = [
      `port: \${MY_PORT}`,
      `publicUrl: https://\${MY_HOST}/`,
      `adminKey: \${MY_KEY}`,
      'inbox:',
      `  attachments: { fetchUrls: "\${FETCH}" }`,
    ].join('\n');
    const environment = {
      MY_PORT: '9000',
      MY_HOST: 'gate.example',
      MY_KEY_FILE: join(folder, 'key'),
      FETCH: 'true',
    };
    const { config } = load({ yaml, environment, files: { key: `${STRONG}\n` } });
    expect([config.port, config.publicUrl, config.inbox.attachments.fetchUrls]).toEqual([
      9000,
      'https://gate.example',
      true,
    ]);
    expect(config.adminKey?.reveal()).toBe(STRONG);
  });

  test('a secret comes from its file, without the last line break', () => {
    const environment = { AMC_BEARER_TOKEN_FILE: join(folder, 'token') };
    expect(load({ environment, files: { token: `${STRONG}\n` } }).config.bearerToken?.reveal()).toBe(STRONG);
  });

  test('secrets hide themselves however they are printed', () => {
    const { config } = load({ environment: { POSTERN_ADMIN_KEY: STRONG } });
    expect(`${JSON.stringify(config)} ${String(config.adminKey)}`).not.toContain(STRONG);
  });

  test('paths of the file start where the file is, those of variables where the command runs', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'postern-config-'));
    writeFileSync(join(elsewhere, 'p.yaml'), 'dataDir: state\n');
    const environment = { POSTERN_CONFIG: join(elsewhere, 'p.yaml') };
    expect(load({ environment }).config.dataDir).toBe(join(elsewhere, 'state'));
    expect(load({ environment: { ...environment, POSTERN_DATA_DIR: 'here' } }).config.dataDir).toBe(
      join(folder, 'here'),
    );
    rmSync(elsewhere, { recursive: true });
  });

  test('a path may begin in the home folder, however it is given', () => {
    const environment = { HOME: '/home/anna' };
    const yaml = 'dataDir: ~/postern\n';
    expect(load({ yaml, environment }).config.dataDir).toBe('/home/anna/postern');
    expect(load({ flags: { 'data-dir': '~' }, environment }).config.dataDir).toBe('/home/anna');
    expect(load({ yaml: 'dataDir: ./~x\n', environment }).config.dataDir).toBe(join(folder, '~x'));
  });

  test('the result is frozen to its leaves', () => {
    const { config } = load({});
    expect(Object.isFrozen(config.inbox.attachments.allowedDirs)).toBe(true);
  });
});

describe('what is refused', () => {
  const cases: [string, Given, string][] = [
    [
      'an unknown key',
      { yaml: 'host: localhost\nprot: 80\n' },
      'postern.yaml:2: prot: found an unknown key; accepted: dataDir, host, port, publicUrl, databaseUrl, adminKey, smtpUrl, dnsServers, allowUnverifiedDomains, claudePath, decisionBridgeTimeoutMs, logLevel, inbox, campaigns or threads (did you mean port?)',
    ],
    [
      'an unknown key further in',
      { yaml: 'inbox:\n  attachments:\n    maxByte: 1\n' },
      'postern.yaml:3: inbox.attachments.maxByte: found an unknown key; accepted: allowedDirs, fetchUrls, maxBytes or retentionDays (did you mean maxBytes?)',
    ],
    [
      'a wrong type',
      { yaml: 'inbox:\n  rateLimit:\n    burst: five\n' },
      'postern.yaml:3: inbox.rateLimit.burst: found "five"; accepted: a whole number from 1 to 10000',
    ],
    [
      'a number out of range',
      { yaml: 'port: 70000\n' },
      'postern.yaml:1: port: found 70000; accepted: a whole number from 0 to 65535',
    ],
    [
      'a choice that does not exist',
      { yaml: 'logLevel: loud\n' },
      'postern.yaml:1: logLevel: found "loud"; accepted: trace, debug, info, warn, error, fatal or silent',
    ],
    [
      'a variable of the wrong type',
      { environment: { POSTERN_PORT: 'http' } },
      'environment: POSTERN_PORT: found "http"; accepted: a whole number from 0 to 65535',
    ],
    [
      'a flag of the wrong type',
      { flags: { port: '-1' } },
      'command line: --port: found "-1"; accepted: a whole number from 0 to 65535',
    ],
    [
      'a section of the wrong type',
      { yaml: 'inbox: on\n' },
      'postern.yaml:1: inbox: found "on"; accepted: a mapping with the keys rateLimit, attachments, webhooks, pairing, connectors and bearerToken',
    ],
    [
      'no platform',
      { yaml: 'threads:\n  workingDir: /srv\n  platforms: []\n' },
      'postern.yaml:3: threads.platforms: found an empty list; accepted: a list of one platform or more, each with id, type and channelId (without the threads section the service is off)',
    ],
    [
      'a platform of an unknown type',
      { yaml: 'threads:\n  workingDir: /srv\n  platforms:\n    - { id: a, type: irc }\n' },
      'postern.yaml:4: threads.platforms.0.type: found "irc"; accepted: local, mattermost or slack',
    ],
    [
      'a slip in the key of a platform',
      {
        yaml: 'threads:\n  workingDir: /srv\n  platforms:\n    - { id: a, type: local, chanelId: "local:x", channelId: "local:x" }\n',
      },
      expect.stringMatching(
        /^postern\.yaml:4: threads\.platforms\.0\.chanelId: found an unknown key; (?!.*[tT]oken).*did you mean channelId/,
      ),
    ],
    [
      'agents that would work in the data folder',
      {
        yaml: 'dataDir: ./data\nthreads:\n  workingDir: ./data/work\n  platforms:\n    - { id: a, type: local, channelId: "local:x" }\n',
      },
      'postern.yaml:3: threads.workingDir: found a folder in the data folder; accepted: a folder outside of it',
    ],
    [
      'a country that is none',
      { yaml: 'inbox:\n  connectors:\n    imessage: { enabled: true, region: Narnia }\n' },
      expect.stringMatching(
        /^postern\.yaml:3: inbox\.connectors\.imessage\.region: .*the code of a country, such as US/,
      ),
    ],
    [
      'a database of Messages beside the configuration',
      { yaml: 'inbox:\n  connectors:\n    imessage: { enabled: true, chatDb: chat.db }\n' },
      expect.stringMatching(/^postern\.yaml:3: inbox\.connectors\.imessage\.chatDb: /),
    ],
    [
      'a channel of Discord that YAML takes for a number',
      {
        yaml: 'inbox:\n  connectors:\n    discord:\n      token: x\n      channels: [1234567890123456789]\n',
      },
      expect.stringMatching(/^postern\.yaml:5: inbox\.connectors\.discord\.channels\.0: .*in quotes/),
    ],
    [
      'a bounce mailbox without a password',
      { yaml: 'campaigns:\n  bounces:\n    imap: { host: mail.example.org, user: bounces }\n' },
      'postern.yaml:3: campaigns.bounces.imap.password: found nothing; accepted: a text of 1 to 1000 characters',
    ],
    [
      'a missing companion',
      { yaml: 'inbox:\n  webhooks:\n    - url: https://example.com/hook\n' },
      'postern.yaml:3: inbox.webhooks.0.secrets: found nothing; accepted: a list of 1 to 2 entries',
    ],
    [
      'a loopback target that is not enabled',
      {
        yaml: `inbox:\n  webhooks:\n    - url: http://127.0.0.1:9/hook\n      secrets: [whsec_${'Ab1+'.repeat(10)}]\n`,
      },
      'postern.yaml:3: inbox.webhooks.0.url: found a target on this machine; accepted: another target, or allowLoopback: true beside it',
    ],
    [
      'a target with a password, which is neither called nor shown',
      {
        yaml: `inbox:\n  webhooks:\n    - url: https://me:hidden@a.example/hook\n      secrets: [whsec_${'Ab1+'.repeat(10)}]\n`,
      },
      'postern.yaml:3: inbox.webhooks.0.url: found a user name or password; accepted: an address without; the signature tells the target who calls',
    ],
    [
      'a public URL with a path',
      { environment: { POSTERN_PUBLIC_URL: 'https://a.example/postern' } },
      'environment: POSTERN_PUBLIC_URL: found "https://a.example/postern"; accepted: an http:// or https:// address without path, query or user',
    ],
    ...[
      'dns.example:53',
      '192.0.2.256',
      '192.0.2.1:0',
      '192.0.2.1:65536',
      '192.0.2.1,',
      '[192.0.2.1]:53',
    ].map((servers): [string, Given, string] => [
      `the resolver ${servers}`,
      { environment: { POSTERN_DNS_SERVERS: servers } },
      `environment: POSTERN_DNS_SERVERS: found ${JSON.stringify(servers)}; accepted: IP addresses of resolvers such as 192.0.2.53 or 192.0.2.53:5353 or [2001:db8::53]:5353, with commas between them; Node takes no names there`,
    ]),
    [
      'a reference to nothing',
      { yaml: `publicUrl: \${NOWHERE}\n` },
      `postern.yaml:1: publicUrl: found \${NOWHERE}, and neither NOWHERE nor NOWHERE_FILE is set`,
    ],
    [
      'a secret given twice',
      { environment: { POSTERN_ADMIN_KEY: STRONG, POSTERN_ADMIN_KEY_FILE: '/x' } },
      'environment: POSTERN_ADMIN_KEY: found both POSTERN_ADMIN_KEY and POSTERN_ADMIN_KEY_FILE; accepted: one of them',
    ],
    [
      'a secret file that is not there',
      { environment: { AMC_BEARER_TOKEN_FILE: '/nowhere/token' } },
      'environment: AMC_BEARER_TOKEN_FILE: cannot read /nowhere/token (ENOENT); accepted: a readable file',
    ],
    ['YAML that is none', { yaml: 'host: [a\nport: 1\n' }, 'postern.yaml:2: is no valid YAML (bad indent)'],
    ['a key given twice', { yaml: 'port: 1\nport: 2\n' }, 'postern.yaml:2: is no valid YAML (duplicate key)'],
    [
      'a list in place of settings',
      { yaml: '- port\n' },
      'postern.yaml:1: found no mapping; accepted: sections and settings, each as key: value',
    ],
    [
      'a named file that is not there',
      { flags: { config: 'other.yaml' } },
      'command line: --config: other.yaml does not exist',
    ],
  ];
  test.each(cases)('%s', (_name, given, expected) => {
    expect(problems(given)).toEqual([expected]);
  });

  test('all problems are told, the first one in the line that stops the start', () => {
    const given = { yaml: 'port: x\nhost: 1\n' };
    expect(problems(given)).toHaveLength(2);
    expect(() => load(given)).toThrow('(and 1 more: postern config check lists them)');
  });

  const weak: [string, string][] = [
    ['short', 'a secret of 5 characters'],
    ['changeme-changeme-changeme', 'a secret known from examples'],
    ['change-me-change-me-change-me-123', 'a secret known from examples'],
    ['your-secret-token-here-your-secret-token-here', 'a secret known from examples'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'a secret of too few different characters'],
    ['abcdefghijklmnopqrstuvwxyzabcdef', 'a secret known from examples'],
    ['012345678901234567890123456789', 'a secret known from examples'],
  ];
  test.each(weak)('the weak secret %s', (secret, found) => {
    for (const given of [
      { environment: { POSTERN_ADMIN_KEY: secret } },
      { environment: { AMC_BEARER_TOKEN: secret } },
      { yaml: `adminKey: "${secret}"\n` },
      { yaml: `inbox:\n  bearerToken: "${secret}"\n` },
    ]) {
      const [line = ''] = problems(given);
      expect(line).toContain(`found ${found}; accepted: at least 24 letters`);
      expect(line).not.toContain(secret);
    }
  });

  test('one secret for operator and agents', () => {
    const environment = { POSTERN_ADMIN_KEY: STRONG, AMC_BEARER_TOKEN: STRONG };
    expect(problems({ environment })).toEqual([
      'environment: AMC_BEARER_TOKEN: found the admin key; accepted: a secret of its own',
    ]);
  });

  test.each([btoa('changeme'.repeat(4)), 'changeme'.repeat(4)])(
    'a weak secret of a webhook: %s',
    (secret) => {
      const yaml = `inbox:\n  webhooks:\n    - url: https://a.example\n      secrets: [whsec_${secret}]\n`;
      expect(problems({ yaml })).toEqual([
        expect.stringMatching(
          /^postern\.yaml:4: inbox\.webhooks\.0\.secrets\.0: found a secret known from examples/,
        ),
      ]);
    },
  );

  test('a value from the environment is never shown, nor is one that may be a secret', () => {
    const hidden = 'p4ssw0rd-of-the-database';
    for (const given of [
      { environment: { POSTERN_DATABASE_URL: `mysql://u:${hidden}@h/d` } },
      { yaml: `logLevel: \${LEVEL}\n`, environment: { LEVEL: hidden } },
      { yaml: `inbox:\n  webhooks:\n    - url: https://a.example\n      secrets: [${hidden}]\n` },
      { yaml: `adminkey: ${hidden}\n` },
      { yaml: `adminKey: {${hidden}: 1}\n` },
      { yaml: `databaseUrl: "${hidden}\n` },
    ]) {
      const lines = problems(given);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join('\n')).not.toContain(hidden);
    }
  });
});

test('slips in the environment are warned of', () => {
  const { warnings } = load({
    environment: {
      POSTERN_PROT: '1',
      POSTERN_CONFIG: 'none.yaml',
      CLAUDE_PATH: '/x',
    },
  });
  expect(warnings).toEqual([
    'POSTERN_PROT is no setting and has no effect; did you mean POSTERN_PORT?',
    'POSTERN_CONFIG names none.yaml, which does not exist',
  ]);
});

describe('the campaigns', () => {
  test('leave by the relay of POSTERN_SMTP_URL, whatever the file has', () => {
    const yaml = 'campaigns:\n  smtp:\n    - url: smtp://one.example\n    - url: smtps://two.example:465\n';
    expect(load({ yaml }).config.campaigns.smtp.map(({ url }) => url)).toEqual([
      'smtp://one.example',
      'smtps://two.example:465',
    ]);
    const environment = {
      POSTERN_SMTP_URL: 'smtp://user:pass@relay.example:2525',
      POSTERN_DNS_SERVERS: '127.0.0.1:5353, [::1]:53, ::1, [::1], 192.0.2.1',
      POSTERN_ALLOW_UNVERIFIED_DOMAINS: 'on',
    };
    const { config, warnings } = load({ yaml, environment });
    expect(config.campaigns.smtp).toEqual([
      { url: 'smtp://user:pass@relay.example:2525', tls: 'opportunistic' },
    ]);
    expect(config.dnsServers).toEqual(['127.0.0.1:5353', '[::1]:53', '::1', '[::1]', '192.0.2.1']);
    expect(config.allowUnverifiedDomains).toBe(true);
    expect(warnings).toEqual([]);
  });

  test('never show the password of a relay', () => {
    const lines = [
      ...problems({ environment: { POSTERN_SMTP_URL: 'http://user:hunter2@relay.example' } }),
      ...problems({ yaml: 'campaigns:\n  smtp:\n    - url: http://user:hunter2@x\n' }),
    ];
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain('hunter2');
    expect(lines.join()).toContain('smtp://user:password@host:port');
  });
});

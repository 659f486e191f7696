import { describe, expect, test } from 'vitest';
import { commandLine, mcpConfig } from './command-line.ts';
import { agentEnvironment, secretNames } from './environment.ts';
import { ErrorTail } from './error-tail.ts';

describe('the environment of the agent', () => {
  test('holds what the contract fixes, over what the operator has set', () => {
    expect(agentEnvironment({ MCP_TOOL_TIMEOUT: '1' }, null, 'run-1')).toEqual({
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
      CLAUDE_THREADS_RUN: 'run-1',
      MCP_CONNECTION_NONBLOCKING: 'true',
      MCP_TOOL_TIMEOUT: '3600000',
    });
  });

  test('holds a cloud’s credentials only where its models are used', () => {
    const from = { AWS_SECRET_ACCESS_KEY: 'a', GOOGLE_APPLICATION_CREDENTIALS: 'b' };
    expect(agentEnvironment(from, null, '')).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
    const names = Object.keys(agentEnvironment({ ...from, CLAUDE_CODE_USE_BEDROCK: '1' }, null, ''));
    expect(names).toContain('AWS_SECRET_ACCESS_KEY');
    expect(names).not.toContain('GOOGLE_APPLICATION_CREDENTIALS');
  });

  const operator = {
    HOME: '/home/olga',
    CLAUDE_CONFIG_DIR: '/home/olga/.claude',
    ANTHROPIC_API_KEY: 'key-of-the-operator',
    CLAUDE_CODE_OAUTH_TOKEN: 'token-of-the-operator',
  };

  test('of an account with a home of its own holds no other login', () => {
    const environment = agentEnvironment(operator, { home: '/srv/account' }, '');
    expect(environment.HOME).toBe('/srv/account');
    expect(environment).not.toHaveProperty('CLAUDE_CONFIG_DIR');
    expect(secretNames(environment)).toEqual([]);
  });

  test('of an account with a key holds that key alone', () => {
    const environment = agentEnvironment(operator, { apiKey: 'key-of-the-account' }, '');
    expect(environment).toMatchObject({ HOME: '/home/olga', ANTHROPIC_API_KEY: 'key-of-the-account' });
    expect(secretNames(environment)).toEqual(['ANTHROPIC_API_KEY']);
  });
});

const files = { mcpConfig: '/files/mcp.json', background: '/files/background.md' };

const launch = {
  agentSessionId: 'b0a9a7de-0f4b-4c57-9c0f-f2d1b0f2f5aa',
  resume: false,
  workingDir: '/srv/work',
  permissionMode: 'default',
  systemPrompt: 'You are in a chat.',
  background: 'The key is under the mat.',
  bridge: { socketPath: '/run/bridge.sock', token: 'the-token' },
  features: [],
  deniedPaths: ['/srv/[data]', '/etc/postern.yaml'],
  autoMemoryDir: '/agents/memory/main',
  account: null,
  onEvent: async () => undefined,
} as const;

describe('the command line', () => {
  const wordAfter = (line: readonly string[], flag: string) => line[line.indexOf(flag) + 1];

  test('of a new session', () => {
    const line = commandLine(launch, files, true);
    expect(line.slice(0, 5)).toEqual([
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
    ]);
    expect(wordAfter(line, '--session-id')).toBe(launch.agentSessionId);
    expect(wordAfter(line, '--mcp-config')).toBe('/files/mcp.json');
    expect(wordAfter(line, '--permission-prompt-tool')).toBe('mcp__claude-threads-mcp__permission_prompt');
    expect(wordAfter(line, '--append-system-prompt')).toBe('You are in a chat.');
    expect(wordAfter(line, '--append-system-prompt-file')).toBe('/files/background.md');
    expect(line.join(' ')).not.toContain('under the mat');
    expect(line).not.toContain('--permission-mode');
    expect(line.filter((word) => word === '--settings')).toHaveLength(1);
    expect(JSON.parse(wordAfter(line, '--settings') ?? '')).toEqual({
      autoMemoryEnabled: true,
      autoMemoryDirectory: '/agents/memory/main',
      permissions: {
        defaultMode: 'default',
        deny: [
          'Read(//srv/\\[data\\])',
          'Read(//srv/\\[data\\]/**)',
          'Edit(//srv/\\[data\\])',
          'Edit(//srv/\\[data\\]/**)',
          'Read(//etc/postern.yaml)',
          'Read(//etc/postern.yaml/**)',
          'Edit(//etc/postern.yaml)',
          'Edit(//etc/postern.yaml/**)',
        ],
      },
    });
  });

  test('of a resumed session gives the system prompt again', () => {
    const line = commandLine({ ...launch, resume: true }, files, true);
    expect(wordAfter(line, '--resume')).toBe(launch.agentSessionId);
    expect(line).not.toContain('--session-id');
    expect(line).toContain('--append-system-prompt');
    expect(line).toContain('--append-system-prompt-file');
    expect(wordAfter(line, '--system-prompt-snapshot')).toBe('off');
    const older = commandLine({ ...launch, resume: true }, files, false);
    expect(older).not.toContain('--system-prompt-snapshot');
  });

  test('of a session without memory turns off the CLI’s own', () => {
    const line = commandLine({ ...launch, autoMemoryDir: null }, files, true);
    const settings = JSON.parse(wordAfter(line, '--settings') ?? '');
    expect(settings.autoMemoryEnabled).toBe(false);
    expect(settings).not.toHaveProperty('autoMemoryDirectory');
  });

  test('of the modes auto and bypass', () => {
    const auto = commandLine({ ...launch, permissionMode: 'auto' }, files, true);
    expect(wordAfter(auto, '--permission-mode')).toBe('auto');
    expect(auto).toContain('--permission-prompt-tool');
    const bypass = commandLine({ ...launch, permissionMode: 'bypass' }, files, true);
    expect(bypass).toContain('--dangerously-skip-permissions');
    expect(bypass).not.toContain('--permission-prompt-tool');
  });
});

test('the tools’ server may be silent for a day and gets no login', () => {
  const server = { command: 'node', args: ['server.js'], env: { BRIDGE: '/run/bridge.sock' } };
  expect(JSON.parse(mcpConfig(server, ['CLAUDE_CODE_OAUTH_TOKEN']))).toEqual({
    mcpServers: {
      'claude-threads-mcp': {
        type: 'stdio',
        command: 'node',
        args: ['server.js'],
        timeout: 86_400_000,
        env: {
          ANTHROPIC_API_KEY: '',
          ANTHROPIC_AUTH_TOKEN: '',
          CLAUDE_CODE_OAUTH_TOKEN: '',
          BRIDGE: '/run/bridge.sock',
        },
      },
    },
  });
});

test('the error output is cut to its end, and secrets in it are blanked', () => {
  const tail = new ErrorTail(['the-token-of-the-bridge', 'short']);
  tail.push(Buffer.from('x'.repeat(20_000)));
  tail.push(Buffer.from('\nshort words, the-token-of-the-bridge, sk-ant-api03-abc_DEF, Bearer abc.def\n'));
  const shown = tail.toString();
  expect(shown.length).toBeLessThanOrEqual(4_000);
  expect(shown).toMatch(/\nshort words, …, …, Bearer …$/);
});

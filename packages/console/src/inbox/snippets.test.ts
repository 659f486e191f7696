import { expect, test } from 'vitest';
import { snippetsFor } from './snippets.ts';

const input = {
  publicUrl: 'https://gate.example/',
  command: ['/opt/node', '/srv/postern/bin/postern.js', 'mcp', 'inbox'],
  agentId: 'claude',
  token: "pat_a'b",
};
const text = (id: string) => snippetsFor(input).find((snippet) => snippet.id === id)?.text ?? '';

test('each client gets the address and the token, which says whose it is', () => {
  for (const snippet of snippetsFor(input)) {
    expect(snippet.text).toContain('https://gate.example');
    expect(snippet.text).toContain('pat_a');
  }
});

test('what is JSON parses, and what a shell reads is quoted for it', () => {
  expect(JSON.parse(text('claude-desktop')).mcpServers['postern-inbox']).toEqual({
    command: '/opt/node',
    args: ['/srv/postern/bin/postern.js', 'mcp', 'inbox'],
    env: { AMC_BASE_URL: 'https://gate.example', AMC_AGENT_ID: 'claude', AMC_BEARER_TOKEN: "pat_a'b" },
  });
  expect(JSON.parse(text('http')).mcpServers['postern-inbox']).toMatchObject({
    url: 'https://gate.example/mcp/inbox',
    headers: { Authorization: "Bearer pat_a'b" },
  });
  expect(text('claude-code')).toContain(String.raw`--header 'Authorization: Bearer pat_a'\''b'`);
  expect(text('codex')).toContain('[mcp_servers.postern-inbox.env]\nAMC_BASE_URL = "https://gate.example"');
});

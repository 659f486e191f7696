import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';

/** The tools' server as a process, with the official client at its other end. */

export const eras = [
  ['legacy', { mode: 'legacy' }],
  ['modern', { mode: { pin: '2026-07-28' } }],
] as const;

export type EraMode = (typeof eras)[number][1];

export const program = fileURLToPath(new URL('./stdio-server.ts', import.meta.url));

export async function toolsServer(
  env: Readonly<Record<string, string>>,
  era: EraMode = { mode: 'legacy' },
): Promise<{ client: Client; transport: StdioClientTransport }> {
  const client = new Client({ name: 'tester', version: '0' }, { versionNegotiation: era });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

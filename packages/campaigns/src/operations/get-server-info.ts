import * as z from 'zod';
import { operation } from '../operation.ts';
import { serverInfo } from '../server-info.ts';

export const getServerInfo = operation({
  name: 'get_server_info',
  call: 'Call it to learn which server this is, which versions it speaks, how mail leaves and which limits hold.',
  needs: 'Needs any valid key.',
  returns:
    'Returns name, versions, the transport (capture keeps mails here, smtp sends them) and the limits.',
  http: { method: 'GET', path: '/server' },
  tool: true,
  rights: { scope: 'none', project: 'none' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    name: z.string(),
    version: z.string(),
    api_version: z.string(),
    mcp_protocol_versions: z.array(z.string()),
    transport: z.enum(['capture', 'smtp']),
    limits: z.strictObject({
      page_size: z.int().describe('Most things in one page of a list'),
      import_records: z.int().describe('Most records of one import over REST'),
      import_records_tool: z.int().describe('Most records of one import by the tool'),
      body_bytes: z.int().describe('Largest request body'),
      requests_per_minute: z.int().describe('Of a key that has no limit of its own'),
    }),
  }),
  errors: [],
  handle: async (_input, { ports }) => serverInfo(ports.config),
});

import * as z from 'zod';
import { pageOfDomains } from '../domains/domains.ts';
import { domainSchema } from '../domains/shapes.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField } from '../shapes/common.ts';

export const listSendingDomains = operation({
  name: 'list_sending_domains',
  call: 'Call it to see which domains a project sends from, and which of them are verified.',
  needs: 'Needs domains:read.',
  returns: 'Returns a page of domains with their DNS records, oldest first.',
  http: { method: 'GET', path: '/sending-domains' },
  tool: true,
  rights: { scope: 'domains:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...pageFields('dom') }),
  output: pageSchema(domainSchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfDomains(ports, projectId, input);
    return { data: rows, next_cursor };
  },
});

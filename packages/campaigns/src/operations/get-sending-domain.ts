import * as z from 'zod';
import { getSendingDomain as get } from '../domains/domains.ts';
import { domainSchema } from '../domains/shapes.ts';
import { operation } from '../operation.ts';
import { domainIdSchema, projectIdField } from '../shapes/common.ts';

export const getSendingDomain = operation({
  name: 'get_sending_domain',
  call: 'Call it to read one sending domain, its DNS records, and how they stood when last verified.',
  needs: 'Needs domains:read.',
  returns: 'Returns the domain.',
  http: { method: 'GET', path: '/sending-domains/:domain_id' },
  tool: true,
  rights: { scope: 'domains:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, domain_id: domainIdSchema }),
  output: domainSchema,
  errors: ['not_found'],
  handle: ({ domain_id }, { ports, projectId }) => get(ports, projectId, domain_id),
});

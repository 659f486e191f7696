import * as z from 'zod';
import { createSendingDomain as create } from '../domains/domains.ts';
import { domainInput, domainSchema } from '../domains/shapes.ts';
import { operation } from '../operation.ts';
import { projectIdField } from '../shapes/common.ts';

export const createSendingDomain = operation({
  name: 'create_sending_domain',
  call: 'Call it to send from a domain: it makes the DKIM key and says which DNS records to set.',
  needs: 'Needs domains:write, and a domain that the project does not have yet.',
  returns: 'Returns the domain, unverified, with its records; set them, then call verify_sending_domain.',
  http: { method: 'POST', path: '/sending-domains', status: 201 },
  tool: true,
  rights: { scope: 'domains:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ ...projectIdField, domain: domainInput }),
  output: domainSchema,
  errors: ['conflict'],
  handle: ({ domain }, { ports, caller, projectId }) => create(ports, caller.keyId, projectId, domain),
});

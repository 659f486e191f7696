import * as z from 'zod';
import { verifySendingDomain as verify } from '../domains/domains.ts';
import { domainSchema } from '../domains/shapes.ts';
import { operation } from '../operation.ts';
import { domainIdSchema, projectIdField } from '../shapes/common.ts';

export const verifySendingDomain = operation({
  name: 'verify_sending_domain',
  call: 'Call it once the DNS records of a domain are set, and whenever mails from it are refused.',
  needs: 'Needs domains:write. It asks DNS, which may take a few seconds.',
  returns: 'Returns the domain: verified when all of its records are, with what was found for each.',
  http: { method: 'POST', path: '/sending-domains/:domain_id/verify' },
  tool: true,
  rights: { scope: 'domains:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({ ...projectIdField, domain_id: domainIdSchema }),
  output: domainSchema,
  errors: ['not_found'],
  handle: ({ domain_id }, { ports, caller, projectId }) => verify(ports, caller.keyId, projectId, domain_id),
});
